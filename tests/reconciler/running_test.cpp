// The controllers of adapters and models as the manager runs them: woken by what they watch, in
// real time, against an API server in memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/resources.hpp"
#include "kube/conditions.hpp"
#include "kube/object_meta.hpp"
#include "reconciler/children/kinds.hpp"
#include "reconciler/manager.hpp"
#include "reconciler/metrics.hpp"
#include "reconciler/model/controller.hpp"
#include "reconciler/scaling_adapter/plan.hpp"
#include "runtime/metrics.hpp"
#include "tests/reconciler/model/models.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_cluster.hpp"
#include "tests/support/recording_logger.hpp"
#include "tests/support/temporary_directory.hpp"
#include "text/micro_time.hpp"

namespace dynamo::reconciler {
namespace {

using scaling_adapter::kScalingAdapters;

// Loads whatever it is told to.
class WillingEngines final : public model::Engines {
 public:
  aio::Task<model::EngineAnswer> ask(model::EngineRequest request) override {
    asked.push_back(std::string(kube::to_string(request.verb)) + " " + request.host);
    model::EngineAnswer answer;
    answer.status = 200;
    co_return answer;
  }
  std::vector<std::string> asked;
};

class RunningTest : public ::testing::Test {
 protected:
  void begin(validation::Mode mode = validation::Mode::kReplacement,
             std::vector<std::string> controllers = {"scaling-adapter"}) {
    options_.mode = mode;
    options_.controllers = std::move(controllers);
    begin_with({&models_});
  }
  void begin_with(std::vector<Controller*> more) {
    options_.planner_cluster_role = "planner";
    options_.leader_elect = false;
    manager_.emplace(
        options_,
        Manager::Surroundings{.loop = loop_,
                              .connect = [this](auto&&...) { return cluster_.connect("ours"); },
                              .clock = *time_,
                              .logger = logger_,
                              .metrics = metrics_,
                              .identity = "test",
                              .own_namespace = "dynamo",
                              .print = print_,
                              .must_end = [this](int code) { ended_ = code; },
                              .more = std::move(more)});
    manager_->start();
  }
  bool comes(const std::function<bool()>& condition) { return test::run_until(loop_, condition); }

  std::optional<std::int64_t> of_graph() const {
    const auto graph = cluster_.find(cluster::kGraphDeployments, "team-a", "g");
    return graph->root()["spec"]["services"]["Decode"]["replicas"].integer();
  }
  std::optional<std::int64_t> of_status() const {
    const auto adapter = cluster_.find(kScalingAdapters, "team-a", "g-decode");
    return adapter->root()["status"]["replicas"].integer();
  }
  void put_adapter() {
    cluster_.put(kScalingAdapters,
                 R"({"metadata":{"name":"g-decode","namespace":"team-a","labels":)"
                 R"({"nvidia.com/dynamo-graph-deployment-name":"g"}},)"
                 R"("spec":{"replicas":5,"dgdRef":{"name":"g","serviceName":"Decode"}}})");
  }
  void put_graph() {
    cluster_.put(cluster::kGraphDeployments,
                 R"({"metadata":{"name":"g","namespace":"team-a","generation":1},)"
                 R"("spec":{"services":{"Decode":{}}}})");
  }
  void put_slice(const std::vector<test::PodAddress>& addresses) {
    cluster_.put(kube::kEndpointSlices, test::slice_text("s", test::endpoints_text(addresses)));
  }
  std::optional<std::int64_t> ready() const {
    const auto model = cluster_.find(model::kModels, "team-a", "a");
    return model->root()["status"]["readyEndpoints"].integer();
  }

  boost::asio::io_context loop_;
  const runtime::SystemClock clock_;
  const runtime::Clock* time_ = &clock_;
  test::FakeClock moved_;  // for tests whose time it is
  test::FakeCluster cluster_{&clock_};
  test::RecordingLogger logger_;
  runtime::MetricsRegistry registry_;
  ReconcilerMetrics metrics_{registry_};
  WillingEngines engines_;
  Options options_;
  std::function<void(const std::string&)> print_;
  std::optional<int> ended_;
  model::ModelController models_{
      std::shared_ptr<model::Engines>(std::shared_ptr<void>(), &engines_), {}};
  std::optional<Manager> manager_;
};

TEST_F(RunningTest, AnAdapterFollowsItsAutoscalerAndHoldsItsGraph) {
  put_adapter();
  begin();
  put_graph();  // after the adapter, which has met none
  ASSERT_TRUE(comes([this] { return of_graph() == 5 && of_status() == 5; }));
  cluster_.merge(kScalingAdapters, "team-a", "g-decode", R"({"spec":{"replicas":7}})", "hpa");
  ASSERT_TRUE(comes([this] { return of_graph() == 7 && of_status() == 7; }));
  cluster_.merge(cluster::kGraphDeployments, "team-a", "g",
                 R"({"spec":{"services":{"Decode":{"replicas":2}}}})");
  ASSERT_TRUE(comes([this] { return of_graph() == 7; }));
  cluster_.merge(kScalingAdapters, "team-a", "g-decode", R"({"status":null})");
  ASSERT_TRUE(comes([this] { return of_status() == 7; }));
}

TEST_F(RunningTest, AModelFollowsItsSlicesAndGoes) {
  cluster_.put(model::kModels, test::model_text({.type = "lora", .finalizers = "[]"}));
  begin();
  ASSERT_TRUE(comes([this] { return ready() == 0; }));
  put_slice({{"10.0.0.1", "p1"}});
  ASSERT_TRUE(comes([this] { return ready() == 1; }));
  put_slice({{"10.0.0.1", "p1"}, {"10.0.0.2", "p2"}});
  ASSERT_TRUE(comes([this] { return ready() == 2; }));
  EXPECT_EQ(engines_.asked,
            (std::vector<std::string>{"POST 10.0.0.1", "POST 10.0.0.1", "POST 10.0.0.2"}))
      << "our own writes wake nobody";
  engines_.asked.clear();
  cluster_.erase(model::kModels, "team-a", "a");
  ASSERT_TRUE(comes([this] { return !cluster_.find(model::kModels, "team-a", "a"); }));
  EXPECT_EQ(engines_.asked, (std::vector<std::string>{"DELETE 10.0.0.1", "DELETE 10.0.0.2"}));
}

TEST_F(RunningTest, OfEachWatchItIsToldForHowLongNothingWasHeard) {
  test::FakeClock time;
  time_ = &time;
  begin();
  const auto tells = [this](const std::string& resource, int seconds) {
    return registry_.serialise().find("dynamo_reconciler_watch_silent_seconds{resource=\"" +
                                      resource + "\"} " + std::to_string(seconds) + "\n") !=
           std::string::npos;
  };
  const std::string models = "nvidia.com/dynamomodels";
  const std::string graphs = "nvidia.com/dynamographdeployments";
  const auto is_open = [this](const std::string& resource) {
    return registry_.serialise().find("dynamo_reconciler_watch_open{resource=\"" + resource +
                                      "\"} 1\n") != std::string::npos;
  };
  ASSERT_TRUE(comes([&] { return is_open(models) && is_open(graphs); }));
  EXPECT_TRUE(tells(models, 0));
  time.tick(std::chrono::seconds(90));
  EXPECT_TRUE(tells(models, 90) && tells(graphs, 90)) << registry_.serialise();
  cluster_.send_line(R"({"type":"BOOKMARK","object":{"kind":"DynamoModel",)"
                     R"("apiVersion":"nvidia.com/v1alpha1","metadata":{"resourceVersion":"9"}}})",
                     {.path = "/dynamomodels"});
  EXPECT_TRUE(comes([&] { return tells(models, 0); }));
  EXPECT_TRUE(tells(graphs, 90)) << registry_.serialise();
}

// Of definitions that the server does not know.
void remove_definition(test::FakeCluster& cluster, const std::string& plural) {
  constexpr std::size_t kAlways = 1'000;
  cluster.fail({.verb = kube::Verb::kGet, .path = "/" + plural},
               {.kind = test::Fault::Kind::kStatus, .status = 404, .reason = "NotFound"}, kAlways);
}

TEST_F(RunningTest, AGraphBecomesWhatRunsThoughDefinitionsOfOthersAreMissing) {
  for (const char* plural : {"leaderworkersets", "podgroups", "inferencepools"}) {
    remove_definition(cluster_, plural);
  }
  cluster_.put({"rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", false},
               R"({"metadata":{"name":"planner"}})");
  cluster_.put(kGraphs, R"({"metadata":{"name":"g","namespace":"team-a","generation":1},)"
                        R"("spec":{"backendFramework":"vllm","services":{"Work":{)"
                        R"("componentType":"worker","replicas":1,"extraPodSpec":)"
                        R"({"mainContainer":{"image":"a:1"}}}}}})");
  begin(validation::Mode::kReplacement, {"component", "graph"});
  constexpr kube::Resource kDeployments{"apps", "v1", "deployments", "Deployment"};
  ASSERT_TRUE(
      comes([&, this] { return cluster_.find(kDeployments, "team-a", "g-work").has_value(); }));
  cluster_.merge(kDeployments, "team-a", "g-work",
                 R"({"status":{"observedGeneration":1,"replicas":1,"updatedReplicas":1,)"
                 R"("readyReplicas":1,"availableReplicas":1,)"
                 R"("conditions":[{"type":"Available","status":"True"}]}})");
  EXPECT_TRUE(comes([this] {
    const auto graph = cluster_.find(kGraphs, "team-a", "g");
    return graph->root()["status"]["state"].string_or_empty() == "successful";
  }));
  EXPECT_EQ(manager_->not_ready(), std::nullopt);
}

TEST_F(RunningTest, BesideTheOperatorNothingIsScaled) {
  put_adapter();
  put_graph();
  cluster_.put(model::kModels, test::model_text({.type = "base", .finalizers = "[]"}));
  begin(validation::Mode::kCompanion);
  // The one that a test adds runs in any case, and has had its turn.
  ASSERT_TRUE(comes([this] { return ready() == 0; }));
  EXPECT_EQ(of_graph(), std::nullopt);
  EXPECT_EQ(logger_.count("a controller does not run, as it does what the operator does; it runs "
                          "with --mode replacement"),
            1U);
}

// Two of our own controllers that tell a verdict by turns do it for ever, with an Event each time.
class TellingTest : public RunningTest {
 protected:
  // Runs validation beside the model's controller until it has been said that the model is refused,
  // and then for as long as many passes take; answers how often its status is written then.
  std::size_t writes_after_refusal() {
    cluster_.put(model::kModels, R"({"metadata":{"name":"a","namespace":"team-a","generation":1},)"
                                 R"("spec":{"modelName":"a","baseModelName":"b",)"
                                 R"("modelType":"lora"}})");
    options_.mode = validation::Mode::kReplacement;
    options_.controllers = {"model", "validation"};
    begin_with({});
    EXPECT_TRUE(comes([this] { return valid() == "False ValidationFailed"; }));
    cluster_.clear_calls();
    loop_.run_for(std::chrono::milliseconds(1'500));
    EXPECT_EQ(valid(), "False ValidationFailed");
    return cluster_.count({.verb = kube::Verb::kPatch, .path = "/dynamomodels/a/status"});
  }
  std::string valid() const {
    const auto model = cluster_.find(model::kModels, "team-a", "a");
    const auto conditions = kube::Conditions::read(model->root()["status"]["conditions"]);
    const kube::Condition* const found = conditions.find("Valid");
    if (found == nullptr) return "";
    return std::string(kube::to_string(found->status)) + " " + found->reason;
  }
};

TEST_F(TellingTest, BehindWebhooksARefusedModelIsToldOnceByOneController) {
  options_.enable_webhooks = true;
  EXPECT_LE(writes_after_refusal(), 1U);
}

TEST_F(TellingTest, AModelWhoseRuleAPolicySoftensIsToldOnceByOneController) {
  const test::TemporaryDirectory directory;
  options_.policy = (directory.path() / "policy.yaml").string();
  std::ofstream(options_.policy) << "version: 1\nseverities:\n"
                                    "  - {rules: dm.lora.source, severity: warn}\n";
  EXPECT_LE(writes_after_refusal(), 1U);
}

// --- The operator whose place it takes.

class BesideALeaseTest : public RunningTest {
 protected:
  void put_lease(std::chrono::seconds duration) {
    cluster_.put(kube::kLeases,
                 R"({"metadata":{"name":")" + options_.operator_lease_name +
                     R"(","namespace":"dynamo-system"},"spec":{"holderIdentity":"go",)"
                     R"("leaseDurationSeconds":)" +
                     std::to_string(duration.count()) + R"(,"renewTime":")" +
                     text::format_micro_time(clock_.wall()) + R"("}})");
  }
  void begin_once() {
    put_adapter();
    put_graph();
    options_.mode = validation::Mode::kReplacement;
    options_.operator_lease_namespace = "dynamo-system";
    options_.controllers = {"scaling-adapter"};
    options_.once = true;
    begin_with({});
  }
  bool refuses() const {
    return logger_.count(
               "controllers do not run, as the operator that they would replace leads; "
               "stop it, or run as its companion") > 0;
  }
  // Which also moves the time, so that it looks again.
  bool ends_within(std::chrono::seconds time) {
    moved_.tick(time);
    return comes([this] { return ended_.has_value(); });
  }
};

TEST_F(BesideALeaseTest, LookingOnceItWaitsForAnOperatorThatMayBeDead) {
  time_ = &moved_;
  put_lease(std::chrono::seconds(15));
  begin_once();
  ASSERT_TRUE(comes([this] { return refuses(); }));
  loop_.run_for(std::chrono::milliseconds(1'200));
  EXPECT_EQ(ended_, std::nullopt);
  ASSERT_TRUE(ends_within(std::chrono::seconds(15)));
  EXPECT_EQ(ended_, 0);
  EXPECT_EQ(of_graph(), 5);
}

TEST_F(BesideALeaseTest, LookingOnceItGivesUpWhenTheOperatorIsSeenToLive) {
  time_ = &moved_;
  put_lease(std::chrono::seconds(15));
  begin_once();
  ASSERT_TRUE(comes([this] { return refuses(); }));
  put_lease(std::chrono::seconds(15));
  ASSERT_TRUE(ends_within(std::chrono::seconds(5)));
  EXPECT_EQ(ended_, 1);
  EXPECT_EQ(of_graph(), std::nullopt);
}

// A preview, made while the operator still runs.
TEST_F(BesideALeaseTest, ADryRunShowsWhatWouldBeDoneThoughTheOperatorLeads) {
  put_lease(std::chrono::hours(1));
  std::string printed;
  print_ = [&printed](const std::string& yaml) { printed += yaml; };
  options_.dry_run = true;
  begin_once();
  ASSERT_TRUE(comes([this] { return ended_.has_value(); }));
  EXPECT_EQ(ended_, 0);
  EXPECT_THAT(printed, ::testing::HasSubstr("kind: DynamoGraphDeployment\n"));
  EXPECT_EQ(logger_.count("the operator that would be replaced leads; this is what would be done "
                          "once it leads no more"),
            1U);
  EXPECT_EQ(cluster_.count({.verb = kube::Verb::kPatch}), 0U);
}

}  // namespace
}  // namespace dynamo::reconciler
