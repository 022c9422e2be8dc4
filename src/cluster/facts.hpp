// Cluster facts for rules, from the API server's discovery and from flags.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "api/context.hpp"

namespace dynamo::cluster {

// Facts that the API server cannot provide.
struct ConfiguredFacts {
  api::Fact kubernetes_discovery = api::Fact::kUnknown;
  // nullopt: detected in the cluster, and unknown without a connection.
  std::optional<api::OperatorGeneration> operator_generation = api::OperatorGeneration::kUnknown;
  std::string operator_version = {};  // of --operator-version; helps to detect the generation
  bool operator_replaced = false;
  bool requests_unserved = false;
  bool checkpoints_unserved = false;
  api::Fact gpu_discovery = api::Fact::kUnknown;
  api::Fact checkpoints_enabled = api::Fact::kUnknown;
};

// The state of discovery at one moment.
struct DiscoverySnapshot {
  // Whether the API group is served; kUnknown before the first success.
  std::function<api::Fact(std::string_view group)> served;
  // Whether graphs are served as v1beta1; kUnknown before the first success, and without graphs.
  api::Fact v1beta1_served = api::Fact::kUnknown;
  bool is_outdated = false;  // refreshes have failed for so long that a refusal is safer
  std::optional<int> kubernetes_minor = std::nullopt;
};

// The generation of the operator in a cluster that serves graphs as v1beta1 or not: later operators
// need that version. Without it, the first generation is certain only for a known version up to
// 1.0, or if dynamo-reconciler replaces the operator.
api::OperatorGeneration detect_generation(api::Fact v1beta1_served,
                                          const ConfiguredFacts& configured);

// The inference pool counts as not served once discovery is outdated, because an endpoint picker
// that cannot be placed must be denied. All other facts keep their last known value: each restart
// of an API server makes some refreshes fail.
api::ClusterFacts facts_of(const DiscoverySnapshot& discovered, const ConfiguredFacts& configured);

// Without a connection to the cluster.
api::ClusterFacts facts_of(const ConfiguredFacts& configured);

}  // namespace dynamo::cluster
