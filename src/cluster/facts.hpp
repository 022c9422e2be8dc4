// Cluster facts for rules, from the API server's discovery and from flags.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "api/context.hpp"

namespace dynamo::cluster {

// Facts that the API server cannot provide.
struct ConfiguredFacts {
  api::Fact kubernetes_discovery = api::Fact::kUnknown;
  api::OperatorGeneration operator_generation = api::OperatorGeneration::kUnknown;
  bool operator_replaced = false;
  bool requests_unserved = false;
  bool checkpoints_unserved = false;
};

// The state of discovery at one moment.
struct DiscoverySnapshot {
  // Whether the API group is served; kUnknown before the first success.
  std::function<api::Fact(std::string_view group)> served;
  bool is_outdated = false;  // refreshes have failed for so long that a refusal is safer
  std::optional<int> kubernetes_minor = std::nullopt;
};

// The inference pool counts as not served once discovery is outdated, because an endpoint picker
// that cannot be placed must be denied. All other facts keep their last known value: each restart
// of an API server makes some refreshes fail.
api::ClusterFacts facts_of(const DiscoverySnapshot& discovered, const ConfiguredFacts& configured);

// Without a connection to the cluster.
api::ClusterFacts facts_of(const ConfiguredFacts& configured);

}  // namespace dynamo::cluster
