// The inputs of an evaluation in addition to the object: the user, the request and the known facts
// about the cluster.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.hpp"
#include "api/parameters.hpp"

namespace dynamo::api {

// A fact about the cluster that may be unknown (no connection, discovery pending).
enum class Fact : unsigned char { kUnknown, kNo, kYes };

// Which operator will reconcile the object: later ones accept manifests that the first one rejects.
enum class OperatorGeneration : unsigned char {
  kUnknown,
  kFirst,  // v1alpha1 only, released until spring 2026
  kLater,
};

inline constexpr std::array<std::string_view, 3> kGenerationNames{"unknown", "first", "later"};

constexpr std::string_view name(OperatorGeneration generation) {
  return kGenerationNames[static_cast<std::size_t>(generation)];
}

// Known facts about the cluster. All are unknown by default; a rule that needs an unknown fact
// warns instead of denying, or reports nothing where a comment says so.
struct ClusterFacts {
  // Whether the API group inference.networking.k8s.io is served. A failed discovery counts as kNo.
  Fact inference_pool_served = Fact::kUnknown;
  Fact grove_served = Fact::kUnknown;  // grove.io
  Fact leader_worker_set_served =
      Fact::kUnknown;  // including scheduling.volcano.sh, which it needs here
  Fact kai_scheduler_served = Fact::kUnknown;  // scheduling.run.ai
  Fact v1beta1_served = Fact::kUnknown;        // graphs, as later operators define them
  // Whether services discover each other through the API server instead of etcd, if a graph does
  // not choose.
  Fact kubernetes_discovery = Fact::kUnknown;
  OperatorGeneration operator_generation = OperatorGeneration::kUnknown;
  // dynamo-reconciler runs graphs in place of the operator: findings account for what it fixes.
  bool operator_replaced = false;
  // No controller serves these kinds: dynamo-reconciler replaces the operator without it.
  bool requests_unserved = false;
  bool checkpoints_unserved = false;
  std::optional<int> kubernetes_minor = std::nullopt;  // 35 for v1.35
  // Settings of later operators: whether they discover GPUs, and whether they serve checkpoints.
  // While one is unknown, its rules report nothing: most objects that they cover are right.
  Fact gpu_discovery = Fact::kUnknown;
  Fact checkpoints_enabled = Fact::kUnknown;

  bool operator==(const ClusterFacts&) const = default;
};

// A service account in the form of `--operator-service-account NS/NAME`.
struct ServiceAccount {
  std::string namespace_name;
  std::string name;
};

// Process-wide settings; the same for every request.
struct Settings {
  std::string operator_version;  // semantic version stamped on new graphs; empty: none
  std::optional<ServiceAccount> operator_service_account;  // narrows which accounts may scale
  std::string restricted_namespace;                        // empty: the whole cluster
  // May scale in any namespace, in addition to the planner of the request's namespace.
  std::vector<ServiceAccount> planner_service_accounts = {};
  // The image that later operators set in requests without one; empty: the planner's of
  // operator_version.
  std::string default_request_image = {};

  bool is_namespace_restricted() const { return !restricted_namespace.empty(); }
};

class ClusterObjects;

// Context of one evaluation. Views into the request and the settings; valid during the call.
struct Context {
  Kind kind;
  Operation operation = Operation::kCreate;
  std::string_view namespace_name;
  std::string_view object_name;
  std::optional<std::string_view> user;  // user name; nullopt if the request names no user
  std::string_view sub_resource;
  bool dry_run = false;
  const Settings& settings;
  const ClusterFacts& facts;
  const Parameters* parameters = nullptr;   // of the policy; null: none
  const ClusterObjects* objects = nullptr;  // for name lookups; null: none
  // Whether ratcheted rules ignore violations that existed before the update. False if the old
  // object may never have been validated: then the whole object is validated.
  bool is_ratcheted = true;
  // As json::Document::is_plain() for the object. False if this was not determined.
  bool is_plain = false;
  // The version of the objects that defaults read. Rules read v1alpha1, except validators/hub.
  Version version = Version::kV1alpha1;
  // A later operator reconciles the object, so its defaults apply to v1alpha1, too.
  bool has_later_operator = false;
};

}  // namespace dynamo::api
