// Facts about the cluster as requests read them while the cluster changes.
#include "cluster/facts_watch.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string_view>

#include "tests/cluster_state/cluster_fixture.hpp"

namespace dynamo::cluster {
namespace {

using namespace std::chrono_literals;
using api::Fact;

class FactsWatchTest : public ClusterFixture {
 protected:
  ~FactsWatchTest() override { tasks_.stop(); }

  void start() {
    tasks_.spawn("facts", [this] { return watch_.run(); });
  }
  api::ClusterFacts facts() const { return *published_.read(); }

  kube::Client client_{*transport_};
  FactsWatch::RcuCell published_;
  FactsWatch watch_{client_,
                    {.operator_generation = api::OperatorGeneration::kLater},
                    published_,
                    logger_,
                    {.refresh = 1ms}};
};

TEST_F(FactsWatchTest, AreReadFromTheApiServer) {
  cluster_.set_groups({"apps", "grove.io"});
  cluster_.set_version("1", "34+");
  start();
  ASSERT_TRUE(comes_true([this] { return facts().grove_served == Fact::kYes; }));
  EXPECT_EQ(facts().inference_pool_served, Fact::kNo);
  EXPECT_EQ(facts().kubernetes_minor, 34);
  EXPECT_EQ(facts().operator_generation, api::OperatorGeneration::kLater);
}

TEST_F(FactsWatchTest, FollowInstallationsAndLogEachChange) {
  cluster_.set_groups({"apps"});
  start();
  ASSERT_TRUE(comes_true([this] { return facts().inference_pool_served == Fact::kNo; }));
  cluster_.set_groups({"apps", "inference.networking.k8s.io"});
  ASSERT_TRUE(comes_true([this] { return facts().inference_pool_served == Fact::kYes; }));
  cluster_.clear_calls();
  ASSERT_TRUE(comes_true([this] { return cluster_.calls().size() > 10; }));
  EXPECT_EQ(logger_.count("facts of the cluster"), 2U);
}

TEST_F(FactsWatchTest, DetectedGenerationFollowsDefinitions) {
  FactsWatch detecting(client_, {.operator_generation = std::nullopt, .operator_replaced = true},
                       published_, logger_, {.refresh = 1ms});
  cluster_.set_groups({"nvidia.com/v1alpha1"});
  aio::TaskGroup tasks(loop_, logger_);
  tasks.spawn("facts", [&] { return detecting.run(); });
  using enum api::OperatorGeneration;
  ASSERT_TRUE(comes_true([this] { return facts().operator_generation == kFirst; }));
  EXPECT_EQ(facts().v1beta1_served, Fact::kNo);
  cluster_.set_groups({"nvidia.com/v1alpha1,v1beta1"});
  ASSERT_TRUE(comes_true([this] { return facts().operator_generation == kLater; }));
  EXPECT_EQ(facts().v1beta1_served, Fact::kYes);
  cluster_.set_groups({"apps"});
  ASSERT_TRUE(comes_true([this] { return facts().operator_generation == kUnknown; }));
  EXPECT_EQ(logger_.count("facts of the cluster"), 3U);
}

TEST_F(FactsWatchTest, StayDuringApiServerRestart) {
  constexpr std::string_view kPool = "inference.networking.k8s.io";
  FactsWatch patient(client_, {}, published_, logger_, {.refresh = 1h, .first_pause = 1ms});
  const auto run = [&] { return patient.run(); };
  cluster_.set_groups({std::string(kPool)});
  cluster_.set_reachable(false);
  {
    aio::TaskGroup tasks(loop_, logger_);
    tasks.spawn("facts", run);
    cluster_.clear_calls();
    ASSERT_TRUE(comes_true([this] { return cluster_.calls().size() >= 4; }));
    EXPECT_EQ(facts().inference_pool_served, Fact::kUnknown) << "never known";
    cluster_.set_reachable(true);
    ASSERT_TRUE(comes_true([this] { return facts().inference_pool_served == Fact::kYes; }));
  }
  cluster_.set_reachable(false);
  aio::TaskGroup tasks(loop_, logger_);
  tasks.spawn("facts", run);
  cluster_.clear_calls();
  ASSERT_TRUE(comes_true([this] { return cluster_.calls().size() >= 4; }));
  EXPECT_EQ(facts().inference_pool_served, Fact::kYes);
}

TEST_F(FactsWatchTest, DropOnlyInferencePoolAfterLongOutage) {
  cluster_.set_groups({"grove.io", "inference.networking.k8s.io"});
  start();
  ASSERT_TRUE(comes_true([this] { return facts().inference_pool_served == Fact::kYes; }));
  cluster_.set_reachable(false);
  ASSERT_TRUE(comes_true([this] { return facts().inference_pool_served == Fact::kNo; }));
  EXPECT_EQ(facts().grove_served, Fact::kYes);
  cluster_.set_reachable(true);
  EXPECT_TRUE(comes_true([this] { return facts().inference_pool_served == Fact::kYes; }));
}

TEST_F(FactsWatchTest, AreUnknownBeforeFirstReadExceptInferencePool) {
  cluster_.set_reachable(false);
  start();
  ASSERT_TRUE(comes_true([this] { return facts().inference_pool_served == Fact::kNo; }));
  EXPECT_EQ(facts().grove_served, Fact::kUnknown);
  EXPECT_EQ(facts().kubernetes_minor, std::nullopt);
}

}  // namespace
}  // namespace dynamo::cluster
