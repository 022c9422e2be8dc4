// What rules may know of the cluster, made of what its API server says and of the flags.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "api/context.hpp"

namespace dynamo::cluster {

// What nobody can ask the API server for.
struct ConfiguredFacts {
  api::Fact kubernetes_discovery = api::Fact::kUnknown;
  api::OperatorGeneration operator_generation = api::OperatorGeneration::kUnknown;
  bool operator_replaced = false;
};

// What discovery knows at one moment.
struct Discovered {
  // Is the API group served? kUnknown before the first success.
  std::function<api::Fact(std::string_view group)> served;
  bool is_outdated = false;  // looks have failed for so long that a refusal is safer
  std::optional<int> kubernetes_minor = std::nullopt;
};

// The inference pool counts as not served once discovery is outdated: an endpoint picker that
// cannot be placed must not be let in. Until then, and the other facts for ever, keep what was
// known last: each restart of an API server makes some looks fail.
api::ClusterFacts facts_of(const Discovered& discovered, const ConfiguredFacts& configured);

// Without a connection to the cluster.
api::ClusterFacts facts_of(const ConfiguredFacts& configured);

}  // namespace dynamo::cluster
