// Evaluates the operator's own rules on a stored object. A controller must check them again before
// it acts, because webhooks may have been off when the object was written. Background:
// ADR 33.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admission/request_evaluator.hpp"
#include "api/kind.hpp"
#include "json/document.hpp"
#include "kube/object/object.hpp"
#include "reconciler/engine/cluster_state.hpp"

namespace dynamo::reconciler {

// The errors, one line each with the path; empty if the object may be reconciled. Our additional
// rules are enforced by the webhook only: an object that it admitted, or that predates it, is
// reconciled. Thread-safe.
std::vector<std::string> errors_of(api::Kind kind, json::Value object,
                                   std::string_view namespace_name, std::string_view name);

// Whether an error of that rule keeps a controller from creating objects. True for the operator's
// rules, for rules that no policy can soften, and for a policy's limits for authors.
bool blocks_controllers(std::string_view rule);

// Why controllers create nothing in this namespace, as one line; empty: it is not excluded. No
// webhook validates these namespaces, and pods there can use system accounts.
std::string exclusion_of(std::string_view namespace_name, const ClusterState& cluster_state);

// Evaluates stored objects for a controller in a cluster: with the settings, leases and policy of
// `cluster_state`. A policy may turn errors of errors_of() into warnings, exempt objects, turn
// warnings into errors, and limit accounts, host access, hosts and gateways. If it lists no Istio
// gateway, only the configured one is allowed. Reuses buffers between calls. Not thread-safe.
class OperatorValidator {
 public:
  std::vector<std::string> errors_of(api::Kind kind, const kube::Object& object,
                                     const ClusterState& cluster_state);

 private:
  admission::RequestEvaluator request_evaluator_;
};

}  // namespace dynamo::reconciler
