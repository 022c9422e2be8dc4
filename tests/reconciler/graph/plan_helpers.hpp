// Objects and plans as text, for tests of graphs and components.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "desired/action.hpp"
#include "desired/plan.hpp"
#include "json/document.hpp"
#include "kube/object/object.hpp"
#include "reconciler/component/observed.hpp"
#include "reconciler/graph/observed.hpp"

namespace dynamo::test {

// The status of a running component.
inline constexpr std::string_view kReadyStatus =
    R"({"observedGeneration":1,"conditions":[{"type":"Available","status":"True"}],)"
    R"("service":{"componentKind":"Deployment","replicas":1}})";

// Parses YAML. Throws std::runtime_error if it is invalid.
kube::Object object(std::string_view yaml);

// In namespace "ml", with an operator that has no flags and serves only that namespace.
reconciler::component::ObservedState component(std::string_view yaml,
                                               std::vector<std::string_view> objects = {});
reconciler::graph::ObservedState graph(std::string_view yaml,
                                       std::vector<std::string_view> objects = {});

// "apply Deployment w", "delete Service w-p", "patch DynamoComponentDeployment w status", "event
// CreateService Service w", in order.
std::vector<std::string> words(const reconciler::Plan& plan);
// Like words(), without events.
std::vector<std::string> writes(const reconciler::Plan& plan);
const reconciler::Action* find(const reconciler::Plan& plan, std::string_view word);
// "True DeploymentReady", or "" if the plan writes no such condition.
std::string condition(const reconciler::Plan& plan, std::string_view type);
std::string message(const reconciler::Plan& plan, std::string_view type);
// The member of the written status, as JSON; "" if absent.
std::string status(const reconciler::Plan& plan, std::string_view name);

// The object that the plan applies, as a server would return it, with that uid.
kube::Object made(const reconciler::Plan& plan, std::string_view word, std::string_view uid,
                  std::string_view status = "");

}  // namespace dynamo::test
