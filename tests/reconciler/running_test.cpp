// Controllers of adapters and models run by the manager: triggered by their watches, in real time
// with an in-memory API server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/reconciler/running_fixture.hpp"

namespace dynamo::reconciler {
namespace {

using scaling_adapter::kScalingAdapters;

TEST_F(RunningTest, AdapterFollowsAutoscalerAndRestoresGraph) {
  put_adapter();
  begin();
  put_graph();  // created after the adapter, which found no graph before
  ASSERT_TRUE(comes([this] { return of_graph() == 5 && of_status() == 5; }));
  cluster_.merge(kScalingAdapters, "team-a", "g-decode", R"({"spec":{"replicas":7}})", "hpa");
  ASSERT_TRUE(comes([this] { return of_graph() == 7 && of_status() == 7; }));
  cluster_.merge(cluster::kGraphDeployments, "team-a", "g",
                 R"({"spec":{"services":{"Decode":{"replicas":2}}}})");
  ASSERT_TRUE(comes([this] { return of_graph() == 7; }));
  cluster_.merge(kScalingAdapters, "team-a", "g-decode", R"({"status":null})");
  ASSERT_TRUE(comes([this] { return of_status() == 7; }));
}

constexpr const char* kCopierWarning =
    "profiling Jobs copy their results with bitnami/kubectl:latest; set --profile-copier-image to "
    "the image of dynamo-reconciler";

TEST_F(RunningTest, MissingCopierImageIsLoggedOnce) {
  begin(validation::Mode::kReplacement, {"request"});
  EXPECT_EQ(logger_.count(kCopierWarning), 1U);
}

TEST_F(RunningTest, ConfiguredCopierImageIsNotLogged) {
  options_.profile_copier_image = "registry.example/dynamo-reconciler:1";
  begin(validation::Mode::kReplacement, {"request"});
  EXPECT_EQ(logger_.count(kCopierWarning), 0U);
}

TEST_F(RunningTest, ModelFollowsItsSlicesUntilDeleted) {
  cluster_.put(model::kModels, test::model_text({.type = "lora", .finalizers = "[]"}));
  begin();
  ASSERT_TRUE(comes([this] { return ready() == 0; }));
  put_slice({{"10.0.0.1", "p1"}});
  ASSERT_TRUE(comes([this] { return ready() == 1; }));
  put_slice({{"10.0.0.1", "p1"}, {"10.0.0.2", "p2"}});
  ASSERT_TRUE(comes([this] { return ready() == 2; }));
  EXPECT_EQ(engines_.asked,
            (std::vector<std::string>{"POST 10.0.0.1", "POST 10.0.0.2", "POST 10.0.0.1"}))
      << "our own writes wake no controller";
  engines_.asked.clear();
  cluster_.erase(model::kModels, "team-a", "a");
  ASSERT_TRUE(comes([this] { return !cluster_.find(model::kModels, "team-a", "a"); }));
  EXPECT_EQ(engines_.asked, (std::vector<std::string>{"DELETE 10.0.0.1", "DELETE 10.0.0.2"}));
}

TEST_F(RunningTest, MetricShowsSilenceOfEachWatch) {
  time_ = &moved_;
  begin();
  const auto shows_silence = [this](const std::string& resource, int seconds) {
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
  EXPECT_TRUE(shows_silence(models, 0));
  moved_.tick(std::chrono::seconds(90));
  EXPECT_TRUE(shows_silence(models, 90) && shows_silence(graphs, 90)) << registry_.serialise();
  EXPECT_TRUE(shows_silence("coordination.k8s.io/leases", 90)) << "of namespaces";
  cluster_.send_line(R"({"type":"BOOKMARK","object":{"kind":"DynamoModel",)"
                     R"("apiVersion":"nvidia.com/v1alpha1","metadata":{"resourceVersion":"9"}}})",
                     {.path = "/dynamomodels"});
  EXPECT_TRUE(comes([&] { return shows_silence(models, 0); }));
  EXPECT_TRUE(shows_silence(graphs, 90)) << registry_.serialise();
}

TEST_F(RunningTest, GraphIsDeployedWithoutOptionalDefinitions) {
  for (const char* plural : {"leaderworkersets", "podgroups", "inferencepools", "podcliquesets",
                             "podcliques", "podcliquescalinggroups", "queues"}) {
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

TEST_F(RunningTest, CompanionScalesNothing) {
  put_adapter();
  put_graph();
  cluster_.put(model::kModels, test::model_text({.type = "base", .finalizers = "[]"}));
  begin(validation::Mode::kCompanion);
  // The controller added by the test runs in any case, and has reconciled.
  ASSERT_TRUE(comes([this] { return ready() == 0; }));
  EXPECT_EQ(of_graph(), std::nullopt);
  EXPECT_EQ(logger_.count("a controller does not run, as the operator does its work; it runs "
                          "with --mode replacement"),
            1U);
}

// --- Definitions of later operators.

class LaterDefinitionsTest : public RunningTest {
 protected:
  LaterDefinitionsTest() {
    discovery_.refresh = std::chrono::milliseconds(20);
    cluster_.set_groups({"nvidia.com/v1alpha1,v1beta1"});
    put_adapter();
    put_graph();
    cluster_.put(model::kModels, test::model_text({.type = "base", .finalizers = "[]"}));
  }
  std::size_t refusals() const {
    return logger_.count(
        "--mode replacement requires definitions of the first generation: the API server serves "
        "graphs as v1beta1, and only an operator of the later generation reconciles these; run "
        "that operator, with --mode companion next to it");
  }
};

TEST_F(LaterDefinitionsTest, ReplacementEndsBeforeItActs) {
  begin();
  ASSERT_TRUE(comes([this] { return ended_.has_value(); }));
  EXPECT_EQ(ended_, 1);
  EXPECT_EQ(refusals(), 1U);
  EXPECT_EQ(cluster_.count({.method = kube::HttpMethod::kPatch}), 0U);
  EXPECT_EQ(of_graph(), std::nullopt);
  EXPECT_EQ(manager_->not_ready(), "graphs must be served as v1alpha1 only");
}

TEST_F(LaterDefinitionsTest, ReplacementEndsWhenDefinitionsChange) {
  cluster_.set_groups({"nvidia.com/v1alpha1"});
  begin();
  ASSERT_TRUE(comes([this] { return of_graph() == 5; }));
  EXPECT_EQ(manager_->not_ready(), std::nullopt);
  cluster_.set_groups({"nvidia.com/v1alpha1,v1beta1"});
  ASSERT_TRUE(comes([this] { return ended_.has_value(); }));
  EXPECT_EQ(ended_, 1);
  EXPECT_EQ(refusals(), 1U);
}

TEST_F(LaterDefinitionsTest, CompanionRuns) {
  begin(validation::Mode::kCompanion);
  ASSERT_TRUE(comes([this] { return ready() == 0; }));
  EXPECT_EQ(ended_, std::nullopt);
  EXPECT_EQ(manager_->not_ready(), std::nullopt);
}

// Two of our own controllers that report different verdicts would overwrite each other forever,
// with an Event each time.
class EventDeduplicatorTest : public RunningTest {
 protected:
  // Runs validation and the model's controller until the model is reported as refused, and then for
  // the duration of many reconciles. Returns the number of status writes in that time.
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
    return cluster_.count({.method = kube::HttpMethod::kPatch, .path = "/dynamomodels/a/status"});
  }
  std::string valid() const {
    const auto model = cluster_.find(model::kModels, "team-a", "a");
    const auto conditions = kube::Conditions::read(model->root()["status"]["conditions"]);
    const kube::Condition* const found = conditions.find("Valid");
    if (found == nullptr) return "";
    return std::string(kube::to_string(found->status)) + " " + found->reason;
  }
};

TEST_F(EventDeduplicatorTest, RefusedModelIsReportedOnceWithWebhooksEnabled) {
  options_.enable_webhooks = true;
  EXPECT_LE(writes_after_refusal(), 1U);
}

TEST_F(EventDeduplicatorTest, RefusedModelIsReportedOnceWithSoftenedRule) {
  const test::TemporaryDirectory directory;
  options_.policy = (directory.path() / "policy.yaml").string();
  std::ofstream(options_.policy) << "version: 1\nseverities:\n"
                                    "  - {rules: dm.lora.source, severity: warn}\n";
  EXPECT_LE(writes_after_refusal(), 1U);
}

// --- The operator that is replaced.

class OperatorLeaseTest : public RunningTest {
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
  // Also advances the time, so that the Lease is checked again.
  bool ends_within(std::chrono::seconds time) {
    moved_.tick(time);
    return comes([this] { return ended_.has_value(); });
  }
};

TEST_F(OperatorLeaseTest, OnceWaitsForPossiblyDeadOperator) {
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

TEST_F(OperatorLeaseTest, OnceFailsIfTheOperatorIsAlive) {
  time_ = &moved_;
  put_lease(std::chrono::seconds(15));
  begin_once();
  ASSERT_TRUE(comes([this] { return refuses(); }));
  put_lease(std::chrono::seconds(15));
  ASSERT_TRUE(ends_within(std::chrono::seconds(5)));
  EXPECT_EQ(ended_, 1);
  EXPECT_EQ(of_graph(), std::nullopt);
}

// A preview while the operator is still running.
TEST_F(OperatorLeaseTest, DryRunPrintsActionsWhileOperatorLeads) {
  put_lease(std::chrono::hours(1));
  print_ = [this](const std::string& yaml) { printed_ += yaml; };
  options_.dry_run = true;
  begin_once();
  ASSERT_TRUE(comes([this] { return ended_.has_value(); }));
  EXPECT_EQ(ended_, 0);
  EXPECT_THAT(printed_, ::testing::HasSubstr("kind: DynamoGraphDeployment\n"));
  EXPECT_EQ(logger_.count("the operator that would be replaced leads; these actions would follow "
                          "once it stops leading"),
            1U);
  EXPECT_EQ(cluster_.count({.method = kube::HttpMethod::kPatch}), 0U);
}

}  // namespace
}  // namespace dynamo::reconciler
