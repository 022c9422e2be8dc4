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
};

// What discovery knows at one moment.
struct Discovered {
  // Is the API group served? kUnknown before the first success.
  std::function<api::Fact(std::string_view group)> served;
  bool is_failing = false;  // the last look did not succeed
  std::optional<int> kubernetes_minor = std::nullopt;
};

// The inference pool counts as not served while discovery fails: an endpoint picker that cannot be
// placed must not be let in. The other facts keep what was known last.
api::ClusterFacts facts_of(const Discovered& discovered, const ConfiguredFacts& configured);

// Without a connection to the cluster.
api::ClusterFacts facts_of(const ConfiguredFacts& configured);

}  // namespace dynamo::cluster
