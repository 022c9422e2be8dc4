// What the operator's own rules say of an object: who acts on one asks them again, since webhooks
// may have been off when it was written. Why it is so: docs/adr/0033.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admission/admit.hpp"
#include "api/kind.hpp"
#include "json/document.hpp"
#include "kube/object.hpp"
#include "reconciler/world.hpp"

namespace dynamo::reconciler {

// The errors, each as one line with its path; none for an object that may be acted on. Those of our
// own rules beyond the operator's belong to the webhook: an object that it let through, or that was
// there before it, runs. Thread-safe.
std::vector<std::string> errors_of(api::Kind kind, json::Value object,
                                   std::string_view namespace_name, std::string_view name);

// Whether an error of that rule holds up who would act on the object.
bool holds_up(std::string_view rule);

// Why nothing is built from objects of this namespace, as one line; empty: it is not excluded. No
// webhook sees these namespaces, and pods there can use the accounts of the system.
std::string exclusion_of(std::string_view namespace_name, const World& world);

// As a controller asks in a cluster: with the world's settings, leases and policy, which may soften
// or excuse what errors_of() finds, or have a rule deny that else warns. Holds the memory that
// judgements reuse. Not thread-safe.
class OperatorsJudge {
 public:
  std::vector<std::string> errors_of(api::Kind kind, const kube::Object& object,
                                     const World& world);

 private:
  admission::Admitter admitter_;
};

}  // namespace dynamo::reconciler
