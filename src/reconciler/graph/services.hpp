// How far the services of a graph are, as their components tell.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/kinds/objects.hpp"
#include "kube/object.hpp"
#include "reconciler/children/children_plan.hpp"
#include "reconciler/children/seen.hpp"
#include "render/children/environment.hpp"
#include "render/restart.hpp"

namespace dynamo::reconciler::graph {

// "graph-service", in lower case where it is the service's.
std::string component_name(std::string_view graph, std::string_view service);

// The one that the graph of that uid has for a service; null: there is none. One that is somebody
// else's tells nothing of the graph.
const kube::Object* component_of(std::string_view graph, std::string_view uid,
                                 std::string_view service, const Seen& seen);

// The component has looked at its newest spec and is available; null: there is none.
bool is_available(const kube::Object* component);

// The value of nvidia.com/restartAt that a component's pods are given; "" for none.
std::string_view restart_mark_of(const kube::Object* component);

// What the graph's restart comes to, and which services carry which mark: those that are meant
// carry the restart's id, all others what they carry already, so that nobody is rolled by a restart
// that ends or is withdrawn.
struct Restart {
  std::optional<render::RestartStatus> status = {};
  std::vector<render::RestartMark> marks = {};
};
// `uid`: the graph's, "" of one that is not stored.
Restart restart_of(const api::GraphDeployment& graph, std::string_view uid, const Seen& seen);

struct Services {
  bool ready = false;        // all are
  std::string message = {};  // those that are not, by name, each with its reason
  std::string counted = {};  // status.services as JSON, without those that were not counted yet
};
Services services_of(const api::GraphDeployment& graph, std::string_view uid, const Seen& seen,
                     const ChildrenPlan& plan);

}  // namespace dynamo::reconciler::graph
