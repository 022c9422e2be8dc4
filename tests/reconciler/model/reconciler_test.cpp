// The DynamoModel controller against an in-memory API server and scripted servers.
#include "reconciler/model/reconciler.hpp"

#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "admission/ignores.hpp"
#include "api/kind.hpp"
#include "kube/object/object_meta.hpp"
#include "reconciler/verdict/record.hpp"
#include "tests/reconciler/model/model_fixture.hpp"

namespace dynamo::reconciler::model {
namespace {

using kube::ReconcileResult;
using test::Fault;
using test::PodAddress;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(ModelTest, AllServersAreCalledAndReported) {
  const ReconcileResult result = run_reconcile();
  EXPECT_EQ(result.kind, ReconcileResult::Kind::kDone);
  EXPECT_TRUE(kube::has_finalizer(model(), api::kFinalizer));
  EXPECT_EQ(counts(), "2/2");
  EXPECT_THAT(take_asked(), ElementsAre("POST http://10.0.0.1:9090/v1/loras",
                                        "POST http://10.0.0.2:9090/v1/loras"));
  EXPECT_THAT(take_events(), ElementsAre("Normal EndpointsReady on DynamoModel/a"));

  clock_.tick(std::chrono::hours(1));
  cluster_.clear_calls();
  run_reconcile();
  EXPECT_EQ(writes(), 0U) << "what stands there is not written again";
  EXPECT_THAT(take_events(), IsEmpty());
}

TEST_F(ModelTest, FailedServerIsRetriedUntilItLoads) {
  engines_.statuses["10.0.0.2"] = 500;
  const ReconcileResult first = run_reconcile();
  EXPECT_EQ(first.kind, ReconcileResult::Kind::kRequeue);
  EXPECT_EQ(first.pause, kRetryInterval);
  EXPECT_EQ(counts(), "1/2");
  EXPECT_THAT(take_events(), ElementsAre("Warning PartialEndpointFailure on DynamoModel/a",
                                         "Warning NotReady on DynamoModel/a"));
  EXPECT_EQ(run_reconcile().kind, ReconcileResult::Kind::kRequeue);
  EXPECT_THAT(take_events(), IsEmpty()) << "it is no news";
  put_slice("s1", {{"10.0.0.1", "p1"}});
  EXPECT_EQ(run_reconcile().kind, ReconcileResult::Kind::kDone);
  EXPECT_EQ(counts(), "1/1");
  EXPECT_THAT(take_events(), ElementsAre("Normal EndpointsReady on DynamoModel/a"));
}

TEST_F(ModelTest, AddedAndRemovedSlicesAreFollowed) {
  run_reconcile();
  put_slice("s2", {{"10.0.0.3", "p3"}, {"10.0.0.1", "p1"}});
  run_reconcile();
  EXPECT_EQ(counts(), "3/3") << "a pod in two slices is one";
  cluster_.erase(kube::kEndpointSlices, "team-a", "s1");
  run_reconcile();
  EXPECT_EQ(counts(), "2/2");
  cluster_.erase(kube::kEndpointSlices, "team-a", "s2");
  take_events();
  EXPECT_EQ(run_reconcile().kind, ReconcileResult::Kind::kDone);
  EXPECT_EQ(counts(), "0/0");
  EXPECT_EQ(reason("EndpointsReady"), "NoEndpoints");
  EXPECT_THAT(take_events(), ElementsAre("Warning NoEndpointsFound on DynamoModel/a"));
  EXPECT_FALSE(model().root()["status"]["endpoints"].exists());
}

TEST_F(ModelTest, TwoHundredEndpointsAreCounted) {
  std::vector<PodAddress> addresses;
  for (int i = 0; i < 200; ++i) {
    addresses.push_back({"10.0.1." + std::to_string(i), "p" + std::to_string(i)});
    if (i % 10 == 0) engines_.statuses[addresses.back().address] = 503;
  }
  put_slice("s1", addresses);
  run_reconcile();
  EXPECT_THAT(engines_.asked, SizeIs(200));
  EXPECT_EQ(counts(), "180/200");
}

TEST_F(ModelTest, OnlyForeignChangesTriggerAReconcile) {
  const kube::Object made = model();
  run_reconcile();
  const kube::Object written = model();
  EXPECT_FALSE(should_reconcile(made)) << "the finalizer and the status are ours";
  cluster_.merge(kModels, "team-a", "a", R"({"metadata":{"labels":{"x":"y"}}})");
  EXPECT_FALSE(should_reconcile(written));
  const kube::Object labelled = model();
  cluster_.merge(kModels, "team-a", "a", R"({"status":{"readyEndpoints":7}})");
  EXPECT_TRUE(should_reconcile(labelled)) << "somebody wrote a number";
  cluster_.merge(kModels, "team-a", "a", R"({"status":null})");
  EXPECT_TRUE(should_reconcile(labelled)) << "somebody wiped it";
  cache_->show();
  run_reconcile();
  EXPECT_EQ(counts(), "2/2") << "and it is put right";
  const kube::Object right = model();
  cluster_.merge(kModels, "team-a", "a", R"({"metadata":{"finalizers":[]}})");
  EXPECT_TRUE(should_reconcile(right));
  run_reconcile();
  EXPECT_TRUE(kube::has_finalizer(model(), api::kFinalizer));
  const kube::Object whole = model();
  cluster_.merge(kModels, "team-a", "a", R"({"spec":{"source":{"uri":"s3://b/other"}}})");
  EXPECT_TRUE(should_reconcile(whole));
}

// A policy may allow authors to ignore a rule; this changes no generation.
TEST_F(ModelTest, IgnoreAnnotationsTriggerAReconcile) {
  run_reconcile();
  const auto annotate = [this](std::string_view name, const std::string& value) {
    cluster_.merge(kModels, "team-a", "a",
                   R"({"metadata":{"annotations":{")" + std::string(name) + "\":" + value + "}}}");
  };
  const kube::Object written = model();
  annotate(kRecordAnnotation, R"("{}")");
  annotate("note", R"("x")");
  EXPECT_FALSE(should_reconcile(written)) << "what the validation controller writes of it";
  const kube::Object recorded = model();
  annotate(admission::kIgnoreAnnotation, R"("model.lora.scheme")");
  EXPECT_TRUE(should_reconcile(recorded));
  const kube::Object without_reason = model();
  annotate(admission::kIgnoreReasonAnnotation, R"("a trial")");
  EXPECT_TRUE(should_reconcile(without_reason));
  const kube::Object ignoring = model();
  annotate(admission::kIgnoreAnnotation, "null");
  EXPECT_TRUE(should_reconcile(ignoring));
}

TEST_F(ModelTest, OverwrittenVerdictIsRestored) {
  run_reconcile();
  const kube::Object right = model();
  std::string conditions = json::to_text(right.root()["status"]["conditions"]);
  const std::string_view holds = R"("status":"True")";
  ASSERT_TRUE(conditions.starts_with(R"([{"type":"Valid",)")) << conditions;
  conditions.replace(conditions.find(holds), holds.size(), R"("status":"False")");
  cluster_.merge(kModels, "team-a", "a", R"({"status":{"conditions":)" + conditions + "}}");
  EXPECT_TRUE(should_reconcile(right));
  const kube::Object spoiled = model();
  run_reconcile();
  EXPECT_FALSE(should_reconcile(spoiled)) << "what puts it right is ours";
  const kube::Object now = model();
  EXPECT_TRUE(kube::Conditions::read(now.root()["status"]["conditions"]).is_true("Valid"));
  cluster_.merge(kModels, "team-a", "a", R"({"status":{"conditions":[]}})");
  EXPECT_TRUE(should_reconcile(now)) << "somebody wiped them";
}

TEST_F(ModelTest, InvalidModelIsReportedWithoutCallingServers) {
  std::string invalid = "spec.source.uri must be …";
  options_.validate = [&invalid](const kube::Object&) { return invalid; };
  make();
  EXPECT_EQ(run_reconcile().kind, ReconcileResult::Kind::kDone);
  EXPECT_EQ(reason("Valid"), "ValidationFailed");
  EXPECT_THAT(take_events(), ElementsAre("Warning ValidationFailed on DynamoModel/a"));
  EXPECT_THAT(take_asked(), IsEmpty());
  EXPECT_FALSE(kube::has_finalizer(model(), api::kFinalizer));
  cluster_.clear_calls();
  run_reconcile();
  EXPECT_EQ(writes(), 0U);
  invalid.clear();
  run_reconcile();
  EXPECT_EQ(reason("Valid"), "ValidationPassed");
  EXPECT_EQ(counts(), "2/2");
}

TEST_F(ModelTest, DeletedModelIsUnloadedAndRemoved) {
  run_reconcile();
  take_asked();
  take_events();
  cluster_.erase(kModels, "team-a", "a");
  ASSERT_TRUE(kube::is_terminating(model())) << "the finalizer keeps it";
  engines_.statuses = {{"10.0.0.1", 0}, {"10.0.0.2", 500}};
  EXPECT_EQ(run_reconcile().kind, ReconcileResult::Kind::kDone);
  EXPECT_THAT(take_asked(), ElementsAre("DELETE http://10.0.0.1:9090/v1/loras/my%20lora/v1",
                                        "DELETE http://10.0.0.2:9090/v1/loras/my%20lora/v1"));
  EXPECT_EQ(cluster_.find(kModels, "team-a", "a"), std::nullopt);
  EXPECT_THAT(take_events(), ElementsAre("Warning LoRAUnloadFailed on DynamoModel/a"));
  EXPECT_EQ(run_reconcile().kind, ReconcileResult::Kind::kDone) << "and what is gone is done";
}

TEST_F(ModelTest, DeletionOfInvalidModelIsNotBlocked) {
  options_.validate = [](const kube::Object&) { return std::string("it is wrong"); };
  make();
  cluster_.merge(kModels, "team-a", "a",
                 R"({"metadata":{"finalizers":["nvidia.com/finalizer"]},"status":7})");
  cluster_.erase(kModels, "team-a", "a");
  run_reconcile();
  EXPECT_EQ(cluster_.find(kModels, "team-a", "a"), std::nullopt);
}

TEST_F(ModelTest, ModelDeletedDuringCallsIsRemovedNext) {
  run_reconcile();
  put_slice("s1", {{"10.0.0.1", "p1"}});
  engines_.on_call = [this] { cluster_.erase(kModels, "team-a", "a"); };
  EXPECT_EQ(run_reconcile().kind, ReconcileResult::Kind::kRequeue);
  take_asked();
  run_reconcile();
  EXPECT_THAT(take_asked(), ElementsAre("DELETE http://10.0.0.1:9090/v1/loras/my%20lora/v1"));
  EXPECT_EQ(cluster_.find(kModels, "team-a", "a"), std::nullopt);
}

TEST_F(ModelTest, StaleReconcileDoesNotWriteToRecreatedModel) {
  run_reconcile();
  put_slice("s1", {{"10.0.0.1", "p1"}});
  engines_.on_call = [this] {
    cluster_.merge(kModels, "team-a", "a", R"({"metadata":{"finalizers":[]}})");
    cluster_.erase(kModels, "team-a", "a");
    put_model({.type = "base", .finalizers = "[]"});
  };
  run_reconcile();
  EXPECT_EQ(counts(), "/") << "its status is its own";
}

// A write fails, or succeeds without an answer; then either the same process continues, or a new
// one starts with only the cluster's state.
TEST_F(ModelTest, NextReconcileRecoversFromAnyFailedWrite) {
  for (const std::string path : {"/dynamomodels/a?", "/dynamomodels/a/status"}) {
    for (const Fault::Kind kind : {Fault::Kind::kRefused, Fault::Kind::kLostAnswer}) {
      for (const bool dies : {false, true}) {
        SCOPED_TRACE(path + (dies ? ", and dies" : ""));
        cluster_.merge(kModels, "team-a", "a", R"({"metadata":{"finalizers":[]},"status":null})");
        engines_.asked.clear();
        cluster_.fail({.method = kube::HttpMethod::kPatch, .path = path}, {.kind = kind});
        EXPECT_EQ(run_reconcile().kind, ReconcileResult::Kind::kRetry);
        const std::size_t asked = path.ends_with("status") ? 2 : 0;
        EXPECT_THAT(engines_.asked, SizeIs(asked)) << "no call before the finalizer is set";
        if (dies) make();
        run_reconcile();
        EXPECT_EQ(counts(), "2/2");
        EXPECT_TRUE(kube::has_finalizer(model(), api::kFinalizer));
        EXPECT_THAT(engines_.asked, SizeIs(dies ? asked + 2 : 2)) << "no engine is called twice";
        clock_.tick(std::chrono::minutes(1));
        cluster_.clear_calls();
        run_reconcile();
        EXPECT_EQ(writes(), 0U);
      }
    }
  }
}

TEST_F(ModelTest, FailedFinalizerRemovalIsRetried) {
  for (const Fault::Kind kind : {Fault::Kind::kRefused, Fault::Kind::kLostAnswer}) {
    if (!cluster_.find(kModels, "team-a", "a")) put_model({.finalizers = "[]"});
    run_reconcile();
    cluster_.erase(kModels, "team-a", "a");
    cluster_.fail({.method = kube::HttpMethod::kPatch, .path = "/dynamomodels/a?"}, {.kind = kind});
    EXPECT_EQ(run_reconcile().kind, ReconcileResult::Kind::kRetry);
    run_reconcile();
    EXPECT_EQ(cluster_.find(kModels, "team-a", "a"), std::nullopt);
    EXPECT_EQ(run_reconcile().kind, ReconcileResult::Kind::kDone);
  }
}

TEST_F(ModelTest, DryRunPrintsRequestsAndSendsNone) {
  context_->dry_run = true;
  cluster_.clear_calls();
  run_reconcile();
  EXPECT_THAT(take_asked(), IsEmpty());
  EXPECT_EQ(writes(), 0U);
  EXPECT_THAT(context_->printed, HasSubstr("url: http://10.0.0.2:9090/v1/loras\n"));
  EXPECT_THAT(context_->printed, HasSubstr("nvidia.com/finalizer"));
}

TEST_F(ModelTest, SliceTriggersModelsOfItsHashAndNamespace) {
  cluster_.put(kModels,
               R"({"metadata":{"name":"b","namespace":"team-a"},"spec":{"baseModelName":"b"}})");
  cluster_.put(kModels, R"({"metadata":{"name":"c","namespace":"team-b"},)"
                        R"("spec":{"baseModelName":"Qwen/Qwen3-0.6B"}})");
  cache_->show();
  const auto keys_of = [this](const kube::Object* before, const kube::Object* now) {
    const kube::ObjectKey key{.namespace_name = "team-a", .name = "s1"};
    std::vector<kube::ObjectKey> keys;
    reconciler_->map_to_requests(kube::kEndpointSlices, {.key = key, .before = before, .now = now},
                                 *cache_, keys);
    std::string names;
    for (const kube::ObjectKey& each : keys) names += to_string(each) + " ";
    return names;
  };
  const kube::Object ours = test::slice_of("s1", {});
  const kube::Object of_b = test::slice_of("s1", {}, {.hash = "3e23e816"});
  const kube::Object of_none = test::slice_of("s1", {}, {.hash = ""});
  EXPECT_EQ(keys_of(nullptr, &ours), "team-a/a ");
  EXPECT_EQ(keys_of(&ours, nullptr), "team-a/a ");
  EXPECT_EQ(keys_of(&ours, &of_b), "team-a/a team-a/b ") << "whom it has left, too";
  EXPECT_EQ(keys_of(nullptr, &of_none), "");
}

// Random changes of servers, slices, writers and faults; in the end the status is correct.
TEST_F(ModelTest, RandomHistoriesConvergeToTheActualState) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    for (int step = 0; step < 15; ++step) {
      switch (random() % 7) {
        case 0:
          put_slice("s1", {{"10.0.0." + std::to_string(1 + random() % 3), "p1"}});
          break;
        case 1:
          put_slice("s2", {{"10.0.0.4", "p4"}, {"::1", "p5"}});
          break;
        case 2:
          engines_.statuses["10.0.0.4"] = random() % 2 == 0 ? 0 : 200;
          break;
        case 3:
          cluster_.merge(kModels, "team-a", "a",
                         R"({"status":{"conditions":[],"endpoints":null}})");
          break;
        case 4:
          cluster_.fail(
              {.method = kube::HttpMethod::kPatch, .path = "/dynamomodels/a"},
              {.kind = random() % 2 == 0 ? Fault::Kind::kLostAnswer : Fault::Kind::kRefused});
          break;
        case 5:
          reconcile(*reconciler_, kKey);
          break;
        default:
          run_reconcile();
      }
    }
    engines_.statuses.clear();
    put_slice("s1", {{"10.0.0.1", "p1"}});
    put_slice("s2", {{"10.0.0.4", "p4"}});
    for (int i = 0; i < 20; ++i) {
      clock_.tick(std::chrono::minutes(1));
      run_reconcile();
    }
    EXPECT_EQ(counts(), "2/2");
    EXPECT_EQ(reason("EndpointsReady"), "AllEndpointsReady");
    cluster_.clear_calls();
    run_reconcile();
    EXPECT_EQ(writes(), 0U);
  }
}

// --- The status write fails, or its result is unknown.

TEST_F(ModelTest, EventIsEmittedOnceDespiteFailedStatusWrite) {
  const Fault refused{.kind = Fault::Kind::kStatus, .status = 422, .reason = "Invalid"};
  const Fault lost{.kind = Fault::Kind::kLostAnswer};
  engines_.statuses["10.0.0.2"] = 500;
  for (const auto& [fault, times] : {std::pair(lost, 1), std::pair(refused, 100)}) {
    cluster_.merge(kModels, "team-a", "a", R"({"status":null})");
    make();
    cluster_.fail({.method = kube::HttpMethod::kPatch, .path = "/dynamomodels/a/status"}, fault,
                  static_cast<std::size_t>(times));
    for (int i = 0; i < 4; ++i) {
      run_reconcile();
      clock_.tick(std::chrono::minutes(1));
    }
    EXPECT_THAT(take_events(), ElementsAre("Warning PartialEndpointFailure on DynamoModel/a",
                                           "Warning NotReady on DynamoModel/a"));
  }
  engines_.statuses.clear();
  run_reconcile();
  EXPECT_THAT(take_events(), ElementsAre("Normal EndpointsReady on DynamoModel/a"));
}

TEST_F(ModelTest, InvalidModelIsReportedOnceDespiteRefusedStatus) {
  options_.validate = [](const kube::Object&) { return std::string("it is wrong"); };
  make();
  cluster_.fail({.method = kube::HttpMethod::kPatch, .path = "/dynamomodels/a/status"},
                {.kind = Fault::Kind::kStatus, .status = 422, .reason = "Invalid"}, 100);
  for (int i = 0; i < 4; ++i) run_reconcile();
  EXPECT_THAT(take_events(), ElementsAre("Warning ValidationFailed on DynamoModel/a"));
}

// --- EndpointSlices cannot be listed.

TEST_F(ModelTest, DeletionDoesNotWaitForUnlistableServers) {
  ASSERT_EQ(reconcile(*reconciler_, kKey).kind, ReconcileResult::Kind::kDone);
  take_events();
  engines_.asked.clear();
  cluster_.erase(kModels, "team-a", "a");
  cache_->show();
  cache_->list_errors["endpointslices"] = "forbidden";
  EXPECT_EQ(reconcile(*reconciler_, kKey).kind, ReconcileResult::Kind::kDone);
  EXPECT_EQ(cluster_.find(kModels, "team-a", "a"), std::nullopt);
  EXPECT_THAT(take_events(), ElementsAre("Warning CleanupFailed on DynamoModel/a"));
  EXPECT_THAT(engines_.asked, IsEmpty());
}

TEST_F(ModelTest, FailedDiscoveryIsReportedOnceUntilItRecovers) {
  ASSERT_EQ(reconcile(*reconciler_, kKey).kind, ReconcileResult::Kind::kDone);
  cache_->show();
  take_events();
  for (int round = 0; round < 2; ++round) {
    cache_->list_errors["endpointslices"] = "forbidden";
    const ReconcileResult first = reconcile(*reconciler_, kKey);
    EXPECT_EQ(first.kind, ReconcileResult::Kind::kRetry);
    EXPECT_THAT(first.error, HasSubstr("forbidden"));
    EXPECT_EQ(reconcile(*reconciler_, kKey).kind, ReconcileResult::Kind::kRetry);
    EXPECT_THAT(take_events(), ElementsAre("Warning EndpointDiscoveryFailed on DynamoModel/a"));
    EXPECT_EQ(counts(), "2/2") << "what was known stays";
    cache_->list_errors.clear();
    EXPECT_EQ(reconcile(*reconciler_, kKey).kind, ReconcileResult::Kind::kDone);
    EXPECT_THAT(take_events(), IsEmpty());
  }
}

TEST_F(ModelTest, FailedDiscoveryIsReportedAfterRegainingLeadership) {
  ASSERT_EQ(reconcile(*reconciler_, kKey).kind, ReconcileResult::Kind::kDone);
  cache_->show();
  take_events();
  cache_->list_errors["endpointslices"] = "forbidden";
  context_->leads = false;
  reconcile(*reconciler_, kKey);
  ASSERT_THAT(take_events(), IsEmpty());
  context_->leads = true;
  reconcile(*reconciler_, kKey);
  reconcile(*reconciler_, kKey);
  EXPECT_THAT(take_events(), ElementsAre("Warning EndpointDiscoveryFailed on DynamoModel/a"));
}

}  // namespace
}  // namespace dynamo::reconciler::model
