#include "cluster/facts.hpp"

#include <cstddef>
#include <string_view>

namespace dynamo::cluster {
namespace {

using api::Fact;

Fact both(Fact left, Fact right) {
  if (left == Fact::kNo || right == Fact::kNo) return Fact::kNo;
  return left == Fact::kYes && right == Fact::kYes ? Fact::kYes : Fact::kUnknown;
}

// Whether a version such as "v1.0.2-rc.1" is 1.0 or older; false for a text that is no version.
bool is_at_most_one_zero(std::string_view version) {
  if (version.starts_with('v')) version.remove_prefix(1);
  // The version of an unknown operator.
  if (version.starts_with("0.0.0")) return false;
  const auto is_digit = [](char character) { return character >= '0' && character <= '9'; };
  const std::size_t major = version.find('.');
  if (version.empty() || !is_digit(version[0])) return false;
  if (version.substr(0, major) == "0") return true;
  if (version.substr(0, major) != "1") return false;
  if (major == std::string_view::npos) return true;
  const std::string_view minor = version.substr(major + 1);
  return minor.starts_with('0') && (minor.size() == 1 || !is_digit(minor[1]));
}

}  // namespace

api::OperatorGeneration detect_generation(Fact v1beta1_served, const ConfiguredFacts& configured) {
  using enum api::OperatorGeneration;
  if (v1beta1_served == Fact::kYes) return kLater;
  if (v1beta1_served == Fact::kUnknown) return kUnknown;
  const bool is_first =
      configured.operator_replaced || is_at_most_one_zero(configured.operator_version);
  return is_first ? kFirst : kUnknown;
}

api::ClusterFacts facts_of(const ConfiguredFacts& configured) {
  api::ClusterFacts facts;
  facts.kubernetes_discovery = configured.kubernetes_discovery;
  facts.operator_generation =
      configured.operator_generation.value_or(api::OperatorGeneration::kUnknown);
  facts.operator_replaced = configured.operator_replaced;
  facts.requests_unserved = configured.requests_unserved;
  facts.checkpoints_unserved = configured.checkpoints_unserved;
  facts.gpu_discovery = configured.gpu_discovery;
  facts.checkpoints_enabled = configured.checkpoints_enabled;
  return facts;
}

api::ClusterFacts facts_of(const DiscoverySnapshot& discovered, const ConfiguredFacts& configured) {
  api::ClusterFacts facts = facts_of(configured);
  facts.inference_pool_served =
      discovered.is_outdated ? Fact::kNo : discovered.served("inference.networking.k8s.io");
  facts.grove_served = discovered.served("grove.io");
  facts.leader_worker_set_served = both(discovered.served("leaderworkerset.x-k8s.io"),
                                        discovered.served("scheduling.volcano.sh"));
  facts.kai_scheduler_served = discovered.served("scheduling.run.ai");
  facts.v1beta1_served = discovered.v1beta1_served;
  if (!configured.operator_generation) {
    facts.operator_generation = detect_generation(discovered.v1beta1_served, configured);
  }
  facts.kubernetes_minor = discovered.kubernetes_minor;
  return facts;
}

}  // namespace dynamo::cluster
