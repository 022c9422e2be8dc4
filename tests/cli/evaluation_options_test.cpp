// The checker's options about a cluster, as rules read them.
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "cli/check/validator.hpp"
#include "tests/cli/command_line.hpp"

namespace dynamo::cli {
namespace {

using api::Fact;

api::ClusterFacts facts_of(std::vector<std::string> options) {
  options.insert(options.begin(), {"validate", "a", "--now", "2026-02-03"});
  return std::get<EvaluationOptions>(read_evaluation_options(test::parsed(options))).facts;
}

TEST(EvaluationOptionsTest, ClusterFactsAreUnknownByDefault) {
  EXPECT_EQ(facts_of({}), api::ClusterFacts{});
}

TEST(EvaluationOptionsTest, PathwaySetsServedGroups) {
  const struct {
    const char* pathway;
    Fact grove;
    Fact leader_worker_set;
  } rows[] = {{"unknown", Fact::kUnknown, Fact::kUnknown},
              {"grove", Fact::kYes, Fact::kUnknown},
              {"lws", Fact::kNo, Fact::kYes},
              {"component", Fact::kNo, Fact::kNo}};
  for (const auto& row : rows) {
    const api::ClusterFacts facts = facts_of({"--pathway", row.pathway});
    EXPECT_EQ(facts.grove_served, row.grove) << row.pathway;
    EXPECT_EQ(facts.leader_worker_set_served, row.leader_worker_set) << row.pathway;
  }
}

TEST(EvaluationOptionsTest, OtherFactsAreTakenFromOptions) {
  EXPECT_EQ(facts_of({"--inference-pool=yes"}).inference_pool_served, Fact::kYes);
  EXPECT_EQ(facts_of({"--kubernetes-version=1.33"}).kubernetes_minor, 33);
  EXPECT_EQ(facts_of({"--operator-generation=first"}).operator_generation,
            api::OperatorGeneration::kFirst);
  EXPECT_EQ(facts_of({"--operator-generation=later"}).operator_generation,
            api::OperatorGeneration::kLater);
  EXPECT_FALSE(facts_of({}).operator_replaced);
  EXPECT_TRUE(facts_of({"--operator-replaced"}).operator_replaced);
  EXPECT_FALSE(facts_of({"--operator-replaced"}).requests_unserved);
  const api::ClusterFacts one = facts_of({"--unserved-kinds=DynamoGraphDeploymentRequest"});
  EXPECT_TRUE(one.requests_unserved);
  EXPECT_FALSE(one.checkpoints_unserved);
  const api::ClusterFacts both =
      facts_of({"--unserved-kinds=DynamoCheckpoint,DynamoGraphDeploymentRequest"});
  EXPECT_TRUE(both.requests_unserved);
  EXPECT_TRUE(both.checkpoints_unserved);
  EXPECT_EQ(facts_of({"--discovery-backend=kubernetes"}).kubernetes_discovery, Fact::kYes);
  EXPECT_EQ(facts_of({"--discovery-backend=etcd"}).kubernetes_discovery, Fact::kNo);
  EXPECT_EQ(facts_of({"--operator-checkpoints=disabled"}).checkpoints_enabled, Fact::kNo);
  EXPECT_EQ(facts_of({"--operator-gpu-discovery=enabled"}).gpu_discovery, Fact::kYes);
}

}  // namespace
}  // namespace dynamo::cli
