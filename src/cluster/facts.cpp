#include "cluster/facts.hpp"

namespace dynamo::cluster {
namespace {

using api::Fact;

Fact both(Fact left, Fact right) {
  if (left == Fact::kNo || right == Fact::kNo) return Fact::kNo;
  return left == Fact::kYes && right == Fact::kYes ? Fact::kYes : Fact::kUnknown;
}

}  // namespace

api::ClusterFacts facts_of(const ConfiguredFacts& configured) {
  api::ClusterFacts facts;
  facts.kubernetes_discovery = configured.kubernetes_discovery;
  facts.operator_generation = configured.operator_generation;
  facts.operator_replaced = configured.operator_replaced;
  facts.requests_unserved = configured.requests_unserved;
  facts.checkpoints_unserved = configured.checkpoints_unserved;
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
  facts.kubernetes_minor = discovered.kubernetes_minor;
  return facts;
}

}  // namespace dynamo::cluster
