// What a verdict may depend on beside the object: who asks, how, and what is known of the cluster.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.hpp"
#include "api/parameters.hpp"

namespace dynamo::api {

// Something about the cluster that may not be known here (no connection, discovery pending).
enum class Fact : unsigned char { kUnknown, kNo, kYes };

// Which operator will reconcile what is judged: later ones cope with shapes that this one does not.
enum class OperatorGeneration : unsigned char {
  kUnknown,
  kFirst,  // as released with v1alpha1 alone, until the spring of 2026
  kLater,
};

// What is known of the cluster. All of it is unknown by default, and a rule that would need to know
// warns instead of denying.
struct ClusterFacts {
  // Is the API group inference.networking.k8s.io served? A discovery that failed counts as kNo.
  Fact inference_pool_served = Fact::kUnknown;
  Fact grove_served = Fact::kUnknown;  // grove.io
  Fact leader_worker_set_served =
      Fact::kUnknown;                          // with scheduling.volcano.sh, which it needs here
  Fact kai_scheduler_served = Fact::kUnknown;  // scheduling.run.ai
  // Do services find each other through the API server, not through etcd, when a graph says
  // nothing?
  Fact kubernetes_discovery = Fact::kUnknown;
  OperatorGeneration operator_generation = OperatorGeneration::kUnknown;
  // dynamo-reconciler runs graphs, in the operator's place: what it mends is judged as it does it.
  bool operator_replaced = false;
  std::optional<int> kubernetes_minor = std::nullopt;  // 35 of v1.35

  bool operator==(const ClusterFacts&) const = default;
};

// A service account as `--operator-service-account NS/NAME` names it.
struct ServiceAccount {
  std::string namespace_name;
  std::string name;
};

// How the process was set up; the same for every request.
struct Settings {
  std::string operator_version;  // stamped on new graphs; a semantic version, empty: none is
  std::optional<ServiceAccount> operator_service_account;  // narrows who may scale
  std::string restricted_namespace;                        // empty: the whole cluster is judged
  // Beside the planner of the namespace that a request is about: who may scale in any.
  std::vector<ServiceAccount> planner_service_accounts = {};

  bool namespace_restricted() const { return !restricted_namespace.empty(); }
};

class ClusterObjects;

// One evaluation. Views into the request and the settings; lives as long as the call.
struct Context {
  Kind kind;
  Operation operation = Operation::kCreate;
  std::string_view namespace_name;
  std::string_view object_name;
  std::optional<std::string_view> user;  // user name; nothing when the request names no user
  std::string_view sub_resource;
  bool dry_run = false;
  const Settings& settings;
  const ClusterFacts& facts;
  const Parameters* parameters = nullptr;   // of the policy; null: it gives none
  const ClusterObjects* objects = nullptr;  // to look names up in; null: nobody looks
  // Whether ratcheted rules forgive what was there before the update. Not when nobody may have
  // judged it: then the object is judged whole.
  bool forgives_what_was = true;
  // No text of the object has a character beyond ASCII. False if nobody looked.
  bool is_ascii = false;
};

}  // namespace dynamo::api
