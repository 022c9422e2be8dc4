// The facts about the cluster that rules use, derived from API discovery.
#include "cluster/facts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynamo::cluster {
namespace {

using api::Fact;

DiscoverySnapshot serving(std::vector<std::string_view> groups) {
  DiscoverySnapshot discovered;
  discovered.served = [groups = std::move(groups)](std::string_view group) {
    return std::ranges::find(groups, group) == groups.end() ? Fact::kNo : Fact::kYes;
  };
  return discovered;
}

TEST(Facts, AreAllUnknownWithoutAConnection) {
  const api::ClusterFacts facts = facts_of({});
  EXPECT_EQ(facts.inference_pool_served, Fact::kUnknown);
  EXPECT_EQ(facts.grove_served, Fact::kUnknown);
  EXPECT_EQ(facts.leader_worker_set_served, Fact::kUnknown);
  EXPECT_EQ(facts.kai_scheduler_served, Fact::kUnknown);
  EXPECT_EQ(facts.kubernetes_discovery, Fact::kUnknown);
  EXPECT_EQ(facts.operator_generation, api::OperatorGeneration::kUnknown);
  EXPECT_EQ(facts.kubernetes_minor, std::nullopt);
}

TEST(Facts, FollowTheGroupsThatAreServed) {
  const api::ClusterFacts none = facts_of(serving({"apps"}), {});
  EXPECT_EQ(none.inference_pool_served, Fact::kNo);
  EXPECT_EQ(none.grove_served, Fact::kNo);
  EXPECT_EQ(none.leader_worker_set_served, Fact::kNo);
  EXPECT_EQ(none.kai_scheduler_served, Fact::kNo);

  const api::ClusterFacts pool = facts_of(serving({"inference.networking.k8s.io"}), {});
  EXPECT_EQ(pool.inference_pool_served, Fact::kYes);
  EXPECT_EQ(pool.grove_served, Fact::kNo);
  EXPECT_EQ(facts_of(serving({"grove.io"}), {}).grove_served, Fact::kYes);
  EXPECT_EQ(facts_of(serving({"scheduling.run.ai"}), {}).kai_scheduler_served, Fact::kYes);
}

TEST(Facts, CountLeaderWorkerSetsOnlyTogetherWithVolcano) {
  const auto lws = [](std::vector<std::string_view> groups) {
    return facts_of(serving(std::move(groups)), {}).leader_worker_set_served;
  };
  EXPECT_EQ(lws({"leaderworkerset.x-k8s.io"}), Fact::kNo);
  EXPECT_EQ(lws({"scheduling.volcano.sh"}), Fact::kNo);
  EXPECT_EQ(lws({"leaderworkerset.x-k8s.io", "scheduling.volcano.sh"}), Fact::kYes);
  DiscoverySnapshot unknown;
  unknown.served = [](std::string_view) { return Fact::kUnknown; };
  EXPECT_EQ(facts_of(unknown, {}).leader_worker_set_served, Fact::kUnknown);
}

TEST(Facts, StayAfterFailedDiscoveryExceptInferencePool) {
  DiscoverySnapshot outdated = serving({"inference.networking.k8s.io", "grove.io"});
  outdated.is_outdated = true;
  outdated.kubernetes_minor = 34;
  const api::ClusterFacts facts = facts_of(outdated, {});
  EXPECT_EQ(facts.inference_pool_served, Fact::kNo);
  EXPECT_EQ(facts.grove_served, Fact::kYes);
  EXPECT_EQ(facts.kubernetes_minor, 34);
}

TEST(Facts, AreTakenFromFlagsIfDiscoveryLacksThem) {
  const api::ClusterFacts facts =
      facts_of(serving({}), {.kubernetes_discovery = Fact::kYes,
                             .operator_generation = api::OperatorGeneration::kLater,
                             .operator_replaced = true,
                             .requests_unserved = true,
                             .checkpoints_unserved = true,
                             .gpu_discovery = Fact::kNo,
                             .checkpoints_enabled = Fact::kYes});
  EXPECT_EQ(facts.gpu_discovery, Fact::kNo);
  EXPECT_EQ(facts.checkpoints_enabled, Fact::kYes);
  EXPECT_TRUE(facts.operator_replaced);
  EXPECT_TRUE(facts.requests_unserved);
  EXPECT_TRUE(facts.checkpoints_unserved);
  EXPECT_EQ(facts.kubernetes_discovery, Fact::kYes);
  EXPECT_EQ(facts.operator_generation, api::OperatorGeneration::kLater);
}

struct Detection {
  Fact v1beta1_served;
  std::string_view version;
  bool is_replaced;
  api::OperatorGeneration generation;
};

TEST(Facts, GenerationIsDetectedWithoutAStatedOne) {
  using enum api::OperatorGeneration;
  for (const Detection& each :
       {Detection{Fact::kYes, "1.0.0", false, kLater}, Detection{Fact::kYes, "", true, kLater},
        Detection{Fact::kUnknown, "1.0.0", true, kUnknown}, Detection{Fact::kNo, "", true, kFirst},
        Detection{Fact::kNo, "", false, kUnknown}, Detection{Fact::kNo, "unknown", false, kUnknown},
        Detection{Fact::kNo, "0.0.0-unknown", false, kUnknown},
        Detection{Fact::kNo, "0.9.1", false, kFirst},
        Detection{Fact::kNo, "v1.0.2-rc.1", false, kFirst},
        Detection{Fact::kNo, "1", false, kFirst}, Detection{Fact::kNo, "1.1.0", false, kUnknown},
        Detection{Fact::kNo, "1.05.0", false, kUnknown},
        Detection{Fact::kNo, "10.0.0", false, kUnknown}}) {
    const ConfiguredFacts configured{.operator_generation = std::nullopt,
                                     .operator_version = std::string(each.version),
                                     .operator_replaced = each.is_replaced};
    DiscoverySnapshot discovered = serving({});
    discovered.v1beta1_served = each.v1beta1_served;
    EXPECT_EQ(facts_of(discovered, configured).operator_generation, each.generation)
        << each.version << each.is_replaced;
    EXPECT_EQ(facts_of(configured).operator_generation, kUnknown) << "without a connection";
  }
}

}  // namespace
}  // namespace dynamo::cluster
