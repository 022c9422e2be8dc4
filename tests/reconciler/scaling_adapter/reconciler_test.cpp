// The scaling adapter controller against an in-memory API server with concurrent writes of other
// clients.
#include "reconciler/scaling_adapter/reconciler.hpp"

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "cluster/resources.hpp"
#include "json/writer.hpp"
#include "reconciler/scaling_adapter/plan.hpp"
#include "tests/reconciler/reconcile_fixture.hpp"

namespace dynamo::reconciler::scaling_adapter {
namespace {

using kube::ReconcileResult;
using test::Fault;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const kube::ObjectKey kKey{.namespace_name = "team-a", .name = "g-decode"};
const std::string kScaled = "Normal Scaled on DynamoGraphDeploymentScalingAdapter/g-decode";

class ScalingAdapterTest : public test::ReconcileTest {
 protected:
  void SetUp() override {
    put_graph(R"({"Decode":{"componentType":"worker"},"Frontend":{"replicas":4}})");
    put_adapter("5");
    watch(reconciler_);
  }

  void put_graph(const std::string& services) {
    cluster_.put(cluster::kGraphDeployments,
                 R"({"metadata":{"name":"g","namespace":"team-a","generation":1},)"
                 R"("spec":{"services":)" +
                     services + "}}");
  }
  void put_adapter(const std::string& replicas, const std::string& name = "g-decode",
                   const std::string& label = "g") {
    cluster_.put(kScalingAdapters, R"({"metadata":{"name":")" + name +
                                       R"(","namespace":"team-a","labels":)" +
                                       R"({"nvidia.com/dynamo-graph-deployment-name":")" + label +
                                       R"("}},)" + R"("spec":{"replicas":)" + replicas +
                                       R"(,"dgdRef":{"name":"g","serviceName":"Decode"}}})");
  }
  // An autoscaler's write through the scale subresource.
  void autoscale(int replicas) {
    cluster_.merge(kScalingAdapters, "team-a", "g-decode",
                   R"({"spec":{"replicas":)" + std::to_string(replicas) + "}}", "hpa");
  }
  ReconcileResult run_reconcile() {
    cache_->show();
    return reconcile(reconciler_, kKey);
  }
  // Reconciles until nothing is written.
  void settle() {
    for (int i = 0; i < 10; ++i) {
      const std::size_t before = writes();
      const ReconcileResult result = run_reconcile();
      if (result.kind == ReconcileResult::Kind::kDone && writes() == before) return;
    }
    FAIL() << "ten reconciles did not settle it";
  }

  std::string graph_text(std::string_view field = "spec") const {
    return json::to_text(cluster_.find(cluster::kGraphDeployments, "team-a", "g")->root()[field]);
  }
  std::optional<std::int64_t> of_graph() const {
    const auto graph = cluster_.find(cluster::kGraphDeployments, "team-a", "g");
    return graph->root()["spec"]["services"]["Decode"]["replicas"].integer();
  }
  std::optional<std::int64_t> of_adapter(std::string_view part = "spec") const {
    const auto adapter = cluster_.find(kScalingAdapters, "team-a", "g-decode");
    return adapter->root()[part]["replicas"].integer();
  }
  std::string last_scale_time() const {
    const auto adapter = cluster_.find(kScalingAdapters, "team-a", "g-decode");
    return std::string(adapter->root()["status"]["lastScaleTime"].string_or_empty());
  }

  ScalingAdapterReconciler reconciler_;
};

// The cache has no room for the graph.
TEST_F(ScalingAdapterTest, UncachedGraphIsReadAndScaled) {
  std::vector<WatchSpec> watched = reconciler_.spec().watches;
  for (WatchSpec& each : watched) {
    if (each.resource.kind == cluster::kGraphDeployments.kind) each.options.most_bytes = 1;
  }
  context_.reset();
  cache_.emplace(cluster_, watched, logger_);
  context_.emplace(*cache_, client_, clock_, logger_);
  EXPECT_EQ(run_reconcile().kind, ReconcileResult::Kind::kDone);
  const auto graph = cluster_.find(cluster::kGraphDeployments, "team-a", "g");
  EXPECT_EQ(graph->root()["spec"]["services"]["Decode"]["replicas"].integer(), 5);
  cluster_.fail({.method = kube::HttpMethod::kGet, .path = "/dynamographdeployments/g"},
                {.kind = Fault::Kind::kBody, .body = std::string(500, '[')});
  EXPECT_EQ(run_reconcile().kind, ReconcileResult::Kind::kRetry);
  EXPECT_THAT(take_events(), ElementsAre(kScaled)) << "no report of a missing adapter";
}

TEST_F(ScalingAdapterTest, GraphIsScaledAndThenUnchanged) {
  EXPECT_EQ(run_reconcile().kind, ReconcileResult::Kind::kDone);
  EXPECT_EQ(graph_text(), R"({"services":{"Decode":{"componentType":"worker","replicas":5},)"
                          R"("Frontend":{"replicas":4}}})");
  EXPECT_EQ(of_adapter("status"), 5);
  EXPECT_EQ(last_scale_time(), "2026-02-03T04:05:06Z");
  EXPECT_THAT(take_events(), ElementsAre(kScaled));

  clock_.tick(std::chrono::hours(1));
  cluster_.clear_calls();
  EXPECT_EQ(run_reconcile().kind, ReconcileResult::Kind::kDone);
  EXPECT_EQ(writes(), 0U);
  EXPECT_THAT(take_events(), IsEmpty());
}

TEST_F(ScalingAdapterTest, ProblemIsReportedAfterRegainingLeadership) {
  cluster_.erase(cluster::kGraphDeployments, "team-a", "g");
  context_->leads = false;
  run_reconcile();
  ASSERT_THAT(take_events(), IsEmpty());
  context_->leads = true;
  run_reconcile();
  run_reconcile();
  EXPECT_THAT(take_events(),
              ElementsAre("Warning GraphNotFound on DynamoGraphDeploymentScalingAdapter/g-decode"));
}

// A race in the reference operator, whose controllers alternately write one count: an autoscaler's
// write at any moment of a reconcile must be the final count.
TEST_F(ScalingAdapterTest, AutoscalersWriteIsNeverLost) {
  for (const char* const path :
       {"/dynamographdeployments/g", "/dynamographdeploymentscalingadapters/g-decode/status"}) {
    SCOPED_TRACE(path);
    autoscale(3);
    settle();
    autoscale(6);
    cluster_.before({.path = path}, [this] { autoscale(9); });
    run_reconcile();
    EXPECT_EQ(of_adapter(), 9) << "no controller reverts it";
    settle();
    EXPECT_EQ(of_adapter(), 9);
    EXPECT_EQ(of_graph(), 9);
    EXPECT_EQ(of_adapter("status"), 9);
  }
}

TEST_F(ScalingAdapterTest, LastCountWinsInAnyOrder) {
  std::mt19937 random(4);  // the order of events
  for (int round = 0; round < 60; ++round) {
    int last = 0;
    for (int step = 0; step < 12; ++step) {
      switch (random() % 5) {
        case 0:
          last = static_cast<int>(random() % 9);
          autoscale(last);
          break;
        case 1:
          cache_->show(kScalingAdapters);
          break;
        case 2:
          cache_->show(cluster::kGraphDeployments);
          break;
        case 3:
          cluster_.merge(cluster::kGraphDeployments, "team-a", "g",
                         R"({"spec":{"services":{"Decode":{"replicas":)" +
                             std::to_string(random() % 9) + "}}}}");
          break;
        default:
          reconcile(reconciler_, kKey);
      }
      if (step == 0) last = static_cast<int>(of_adapter().value());
      EXPECT_EQ(of_adapter(), last) << "round " << round << ", step " << step;
    }
    settle();
    EXPECT_EQ(of_graph(), of_adapter());
    EXPECT_EQ(of_adapter("status"), of_adapter());
  }
}

TEST_F(ScalingAdapterTest, ConcurrentlyRemovedServiceIsNotRecreated) {
  cluster_.before({.method = kube::HttpMethod::kPatch, .path = "/dynamographdeployments/g"},
                  [this] {
                    cluster_.merge(cluster::kGraphDeployments, "team-a", "g",
                                   R"({"spec":{"services":{"Decode":null}}})");
                  });
  const ReconcileResult result = run_reconcile();
  EXPECT_EQ(result.kind, ReconcileResult::Kind::kRequeue);
  EXPECT_EQ(result.pause.count(), 0) << "a conflict is looked at again at once";
  EXPECT_THAT(take_events(), IsEmpty()) << "and no news";
  EXPECT_EQ(graph_text(), R"({"services":{"Frontend":{"replicas":4}}})");
  EXPECT_EQ(run_reconcile().kind, ReconcileResult::Kind::kRetry);
  EXPECT_THAT(
      take_events(),
      ElementsAre("Warning ServiceNotFound on DynamoGraphDeploymentScalingAdapter/g-decode"));
}

TEST_F(ScalingAdapterTest, ProblemIsReportedOnceUntilItChanges) {
  const std::string warning = "Warning ServiceNotFound on DynamoGraphDeploymentScalingAdapter/";
  put_graph(R"({"Frontend":{"replicas":4}})");
  EXPECT_EQ(run_reconcile().kind, ReconcileResult::Kind::kRetry);
  EXPECT_THAT(take_events(), ElementsAre(warning + "g-decode"));
  EXPECT_EQ(run_reconcile().kind, ReconcileResult::Kind::kRetry);
  EXPECT_THAT(take_events(), IsEmpty());
  cluster_.erase(cluster::kGraphDeployments, "team-a", "g");
  run_reconcile();
  run_reconcile();
  EXPECT_THAT(take_events(),
              ElementsAre("Warning GraphNotFound on DynamoGraphDeploymentScalingAdapter/g-decode"));
  put_graph(R"({"Decode":{"replicas":5}})");
  settle();
  EXPECT_THAT(take_events(), IsEmpty());
  put_graph(R"({"Frontend":{"replicas":4}})");
  run_reconcile();
  EXPECT_THAT(take_events(), ElementsAre(warning + "g-decode")) << "the warning applies again";
  // A new adapter of the same name has not been reported yet.
  cluster_.erase(kScalingAdapters, "team-a", "g-decode");
  put_adapter("5");
  run_reconcile();
  EXPECT_THAT(take_events(), ElementsAre(warning + "g-decode"));
}

TEST_F(ScalingAdapterTest, RecreatedGraphIsNotScaledFromStaleCache) {
  cluster_.before({.method = kube::HttpMethod::kPatch, .path = "/dynamographdeployments/g"},
                  [this] {
                    cluster_.erase(cluster::kGraphDeployments, "team-a", "g");
                    put_graph(R"({"Decode":{"replicas":2}})");
                  });
  run_reconcile();
  EXPECT_EQ(of_graph(), 2);
  settle();
  EXPECT_EQ(of_graph(), 5);
}

TEST_F(ScalingAdapterTest, RefusedWriteIsReportedAndRetried) {
  cluster_.fail({.method = kube::HttpMethod::kPatch, .path = "/dynamographdeployments/g"},
                {.kind = Fault::Kind::kStatus, .status = 403, .reason = "Forbidden"});
  EXPECT_EQ(run_reconcile().kind, ReconcileResult::Kind::kRetry);
  EXPECT_THAT(take_events(),
              ElementsAre("Warning UpdateFailed on DynamoGraphDeploymentScalingAdapter/g-decode"));
  EXPECT_EQ(of_adapter("status"), std::nullopt) << "no report of a write that failed";
  settle();
  EXPECT_EQ(of_graph(), 5);
}

TEST_F(ScalingAdapterTest, LostAnswersDoNotChangeTheResult) {
  for (const char* const path :
       {"/dynamographdeployments/g", "/dynamographdeploymentscalingadapters/g-decode/status"}) {
    for (const Fault::Kind kind : {Fault::Kind::kLostAnswer, Fault::Kind::kRefused}) {
      SCOPED_TRACE(path);
      autoscale(2);
      settle();
      clock_.tick(std::chrono::hours(1));
      autoscale(7);
      cluster_.fail({.method = kube::HttpMethod::kPatch, .path = path}, {.kind = kind});
      EXPECT_EQ(run_reconcile().kind, ReconcileResult::Kind::kRetry);
      settle();
      EXPECT_EQ(of_graph(), 7);
      EXPECT_EQ(of_adapter("status"), 7);
      const std::string scaled = last_scale_time();
      clock_.tick(std::chrono::hours(1));
      settle();
      EXPECT_EQ(last_scale_time(), scaled);
    }
  }
}

TEST_F(ScalingAdapterTest, NothingIsSentAfterLosingLeadership) {
  context_->leads = false;
  cluster_.clear_calls();
  run_reconcile();
  EXPECT_EQ(writes(), 0U);
  EXPECT_THAT(take_events(), IsEmpty());
}

TEST_F(ScalingAdapterTest, DryRunPrintsAndWritesNothing) {
  context_->dry_run = true;
  cluster_.clear_calls();
  run_reconcile();
  EXPECT_EQ(writes(), 0U);
  EXPECT_THAT(context_->printed, HasSubstr("kind: DynamoGraphDeployment\n"));
  EXPECT_THAT(context_->printed, HasSubstr("reason: Scaled\n"));
  EXPECT_THAT(context_->printed, HasSubstr("subresource: status\n"));
}

TEST_F(ScalingAdapterTest, DeletedOrManuallyCreatedAdaptersAreHandled) {
  EXPECT_EQ(reconcile(reconciler_, {.namespace_name = "team-a", .name = "other"}).kind,
            ReconcileResult::Kind::kDone);
  // Without the label of its graph.
  put_adapter("5", "g-decode", "another");
  EXPECT_EQ(run_reconcile().kind, ReconcileResult::Kind::kDone);
  EXPECT_EQ(of_graph(), 5);
}

TEST_F(ScalingAdapterTest, OnlyOneAdapterScalesAService) {
  put_adapter("7", "another");  // of the same age: ordered by name
  const kube::ObjectKey other{.namespace_name = "team-a", .name = "another"};
  for (int i = 0; i < 3; ++i) {
    run_reconcile();
    cache_->show();
    reconcile(reconciler_, other);
    if (i == 0) cluster_.clear_calls();
  }
  EXPECT_EQ(writes(), 0U) << "no endless writes";
  EXPECT_EQ(of_graph(), 7);
  EXPECT_THAT(take_events(), Contains("Warning ServiceHasAnotherAdapter on "
                                      "DynamoGraphDeploymentScalingAdapter/g-decode"));
  // The overridden adapter is triggered when the other one is deleted.
  const kube::Object gone = *cluster_.find(kScalingAdapters, "team-a", "another");
  cluster_.erase(kScalingAdapters, "team-a", "another");
  cache_->show();
  std::vector<kube::ObjectKey> keys;
  reconciler_.map_to_requests(kScalingAdapters, {.key = other, .before = &gone, .now = nullptr},
                              *cache_, keys);
  EXPECT_THAT(keys, ElementsAre(kKey));
  settle();
  EXPECT_EQ(of_graph(), 5);
}

TEST_F(ScalingAdapterTest, RelevantGraphChangesTriggerItsAdapters) {
  put_adapter("5", "other", "another-graph");  // only the label differs; dgdRef names this graph
  const auto both = ElementsAre("g-decode", "other");
  cache_->show();
  const auto keys_of = [this](const std::string& before, const std::string& now) {
    const auto graph = [](const std::string& text) {
      return kube::Object::parse(R"({"metadata":{"name":"g","namespace":"team-a"},"spec":)" + text +
                                 "}")
          .value();
    };
    std::optional<kube::Object> old;
    std::optional<kube::Object> fresh;
    if (!before.empty()) old = graph(before);
    if (!now.empty()) fresh = graph(now);
    const kube::ObjectKey key{.namespace_name = "team-a", .name = "g"};
    const kube::StoreChange change{
        .key = key, .before = old ? &*old : nullptr, .now = fresh ? &*fresh : nullptr};
    std::vector<kube::ObjectKey> keys;
    reconciler_.map_to_requests(cluster::kGraphDeployments, change, *cache_, keys);
    std::vector<std::string> names;
    for (const kube::ObjectKey& each : keys) names.push_back(each.name);
    return names;
  };
  const std::string two = R"({"services":{"A":{"replicas":2},"B":{}}})";
  EXPECT_THAT(keys_of("", two), both) << "it is new";
  EXPECT_THAT(keys_of(two, ""), both) << "it is gone";
  EXPECT_THAT(keys_of(two, R"({"services":{"A":{"replicas":3},"B":{}}})"), both);
  EXPECT_THAT(keys_of(two, R"({"services":{"A":{"replicas":2}}})"), both);
  EXPECT_THAT(keys_of(two, R"({"services":{"A":{"replicas":2},"C":{}}})"), both);
  EXPECT_THAT(keys_of(two, two), IsEmpty());
  EXPECT_THAT(keys_of(two, R"({"services":{"B":{"replicas":1},"A":{"replicas":2,"envs":[]}}})"),
              IsEmpty());
  EXPECT_THAT(keys_of("null", "[]"), IsEmpty());
}

}  // namespace
}  // namespace dynamo::reconciler::scaling_adapter
