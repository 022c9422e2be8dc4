// Evaluates the operator's own rules on a stored object. A controller must check them again before
// it acts, because webhooks may have been off when the object was written. Background:
// docs/adr/0033.
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

// The errors, one line each with the path; empty if the object may be reconciled. Our additional
// rules are enforced by the webhook only: an object that it admitted, or that predates it, is
// reconciled. Thread-safe.
std::vector<std::string> errors_of(api::Kind kind, json::Value object,
                                   std::string_view namespace_name, std::string_view name);

// Whether an error of this rule blocks reconciliation of the object.
bool holds_up(std::string_view rule);

// Why nothing is built from objects of this namespace, as one line; empty: it is not excluded. No
// webhook validates these namespaces, and pods there can use system accounts.
std::string exclusion_of(std::string_view namespace_name, const World& world);

// Like errors_of(), with the settings, leases and policy of the cluster. The policy may soften or
// exempt findings, or make a warning rule deny. Owns buffers that evaluations reuse. Not
// thread-safe.
class OperatorsJudge {
 public:
  std::vector<std::string> errors_of(api::Kind kind, const kube::Object& object,
                                     const World& world);

 private:
  admission::Admitter admitter_;
};

}  // namespace dynamo::reconciler
