// The controller of requests against an in-memory API server: reads, slots of Jobs and refusals.
#include "reconciler/request/reconciler.hpp"

#include <optional>
#include <string>
#include <vector>

#include "desired/kinds.hpp"
#include "json/writer.hpp"
#include "tests/reconciler/reconcile_fixture.hpp"

namespace dynamo::reconciler::request {
namespace {

using kube::ReconcileResult;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const kube::Resource& jobs() {
  return find_managed_kind("Job")->resource;
}

RenderSettings restricted_settings() {
  RenderSettings settings;
  settings.environment.profile = render::default_operator_profile();
  settings.environment.namespace_restricted = true;
  return settings;
}

constexpr std::string_view kValidGraph =
    "kind: DynamoGraphDeployment\nmetadata: {name: made, namespace: elsewhere}\n"
    "spec: {services: {Frontend: {componentType: frontend, replicas: 1, extraPodSpec: "
    "{mainContainer: {image: 'nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1'}}}}}\n";

class RequestTest : public test::ReconcileTest {
 protected:
  void SetUp() override {
    put_request("r");
    watch(reconciler_);
  }

  void put_request(const std::string& name, const std::string& more = "") {
    cluster_.put(kRequests,
                 R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeploymentRequest",)"
                 R"("metadata":{"name":")" +
                     name +
                     R"(","namespace":"team-a","generation":1},"spec":{"model":"m",)"
                     R"("backend":"vllm","autoApply":true,"profilingConfig":{"profilerImage":)"
                     R"("p:1","config":{"sla":{"ttft":1}}})" +
                     more + "}}");
  }
  ReconcileResult step(const std::string& name = "r") {
    cache_->show();
    return reconcile(reconciler_, {.namespace_name = "team-a", .name = name});
  }
  json::Value status_of(const std::string& name = "r") {
    shown_ = cluster_.find(kRequests, "team-a", name).value();
    return shown_.root()["status"];
  }
  std::string state_of(const std::string& name = "r") {
    return std::string(status_of(name)["state"].string_or_empty());
  }
  std::string condition_of(std::string_view type, std::string_view field,
                           const std::string& name = "r") {
    for (const json::Value each : status_of(name)["conditions"].elements()) {
      if (each["type"].string_or_empty() == type) {
        return std::string(each[field].string_or_empty());
      }
    }
    return "";
  }
  static kube::ObjectKey key_of(const std::string& name) {
    return {.namespace_name = "team-a", .name = name};
  }
  // The requests that the deletion of the object wakes.
  std::vector<kube::ObjectKey> mapped(const kube::Resource& of, const kube::Object& deleted) {
    std::vector<kube::ObjectKey> keys;
    const kube::ObjectKey key = kube::key_of(deleted);
    reconciler_.map_to_requests(of, {.key = key, .before = &deleted, .now = nullptr}, *cache_,
                                keys);
    return keys;
  }
  void fail_creation(const test::Fault& fault) {
    cluster_.fail({.method = kube::HttpMethod::kPost, .path = "/jobs"}, fault);
  }
  bool has_job(const std::string& name = "r") const {
    return cluster_.find(jobs(), "team-a", "profile-" + name).has_value();
  }
  void end_job(const std::string& condition) {
    cluster_.merge(
        jobs(), "team-a", "profile-r",
        R"({"status":{"conditions":[{"type":")" + condition + R"(","status":"True"}]}})");
  }
  // `r` has the only slot, the answer to the creation of its Job was lost, and `second` waits.
  void fill_slot() {
    put_request("second");
    step();
    step("second");
    fail_creation({.kind = test::Fault::Kind::kRefused});
    step();
    step("second");
    ASSERT_TRUE(context_->enqueued.empty());
  }
  void remove_request(const std::string& name) {
    cluster_.merge(kRequests, "team-a", name, R"({"metadata":{"finalizers":null}})");
    cluster_.erase(kRequests, "team-a", name);
    step(name);
  }
  void put_result(std::string_view text, const std::string& name = "r") {
    std::string json;
    json::Writer out(json);
    out.start_object().key("metadata").start_object();
    out.member("name", "dgdr-output-" + name).member("namespace", "team-a").end_object();
    out.key("data").start_object().member("config_with_planner.yaml", text).end_object();
    out.end_object();
    cluster_.put(kube::kConfigMaps, json);
  }
  void profile() {
    step();
    step();
    ASSERT_EQ(state_of(), "Profiling");
    end_job("Complete");
  }

  ClusterState cluster_state_{clock_};
  RequestReconciler reconciler_{restricted_settings(), cluster_state_, 1};
  kube::Object shown_;
};

TEST_F(RequestTest, RequestBecomesReadyWithItsGraph) {
  profile();
  put_result(kValidGraph);
  step();
  EXPECT_EQ(state_of(), "Deploying");
  step();
  ASSERT_TRUE(cluster_.find(kGraphs, "team-a", "made").has_value());
  cluster_.merge(kGraphs, "team-a", "made", R"({"status":{"state":"successful"}})");
  step();
  EXPECT_EQ(state_of(), "Ready");
  EXPECT_EQ(condition_of("DeploymentReady", "status"), "True");
  const std::size_t before = writes();
  step();
  EXPECT_EQ(writes(), before);
}

TEST_F(RequestTest, DeletedGraphIsReported) {
  profile();
  put_result(kValidGraph);
  step();
  step();
  cluster_.erase(kGraphs, "team-a", "made");
  step();
  EXPECT_EQ(state_of(), "DeploymentDeleted");
}

TEST_F(RequestTest, GraphThatRulesDenyIsNotCreated) {
  profile();
  put_result("kind: DynamoGraphDeployment\nmetadata: {name: made}\nspec: {services: {}}\n");
  step();
  EXPECT_EQ(state_of(), "Failed");
  EXPECT_EQ(condition_of("SpecGenerated", "reason"), "GenerationFailed");
  EXPECT_THAT(condition_of("SpecGenerated", "message"), HasSubstr("spec.services"));
  EXPECT_FALSE(cluster_.find(kGraphs, "team-a", "made").has_value());
}

TEST_F(RequestTest, NothingIsCreatedInNamespaceOfOthers) {
  put_request("r", R"(,"deploymentOverrides":{"namespace":"team-b"})");
  profile();
  put_result(std::string(kValidGraph) +
             "---\nkind: ConfigMap\nmetadata: {name: extra}\ndata: {k: v}\n");
  step();
  step();
  EXPECT_EQ(state_of(), "Deploying");
  EXPECT_EQ(condition_of("DeploymentReady", "reason"), "DeploymentCreationFailed");
  EXPECT_FALSE(cluster_.find(kube::kConfigMaps, "team-b", "extra"));
  EXPECT_FALSE(cluster_.find(kGraphs, "team-b", "made"));
}

TEST_F(RequestTest, RefusedConfigMapIsReportedAndSkipped) {
  profile();
  put_result(std::string(kValidGraph) +
             "---\nkind: ConfigMap\nmetadata: {name: refused}\ndata: {k: v}\n"
             "---\nkind: ConfigMap\nmetadata: {name: extra}\ndata: {k: v}\n");
  cluster_.fail({.method = kube::HttpMethod::kPost, .path = "/configmaps"},
                {.kind = test::Fault::Kind::kStatus,
                 .status = 403,
                 .reason = "Forbidden",
                 .body = "exceeded quota: configmaps"});
  take_events();
  step();
  EXPECT_EQ(state_of(), "Deploying");
  EXPECT_THAT(take_events(),
              Contains("Warning ConfigMapCreationFailed on DynamoGraphDeploymentRequest/r"));
  EXPECT_THAT(context_->notes.back(), HasSubstr("ConfigMap refused: "));
  EXPECT_FALSE(cluster_.find(kube::kConfigMaps, "team-a", "refused"));
  EXPECT_TRUE(cluster_.find(kube::kConfigMaps, "team-a", "extra"));
}

TEST_F(RequestTest, ConfigMapOlderThanRequestIsReported) {
  cluster_.put(kube::kConfigMaps, R"({"metadata":{"name":"extra","namespace":"team-a"}})");
  clock_.tick(std::chrono::minutes(1));
  put_request("second");
  step("second");
  step("second");
  cluster_.merge(jobs(), "team-a", "profile-second",
                 R"({"status":{"conditions":[{"type":"Complete","status":"True"}]}})");
  put_result(
      std::string(kValidGraph) + "---\nkind: ConfigMap\nmetadata: {name: extra}\ndata: {k: v}\n",
      "second");
  take_events();
  step("second");
  EXPECT_EQ(state_of("second"), "Deploying");
  EXPECT_THAT(take_events(),
              Contains("Warning ConfigMapExisted on DynamoGraphDeploymentRequest/second"));
}

TEST_F(RequestTest, UnansweredConfigMapIsRetried) {
  profile();
  put_result(std::string(kValidGraph) +
             "---\nkind: ConfigMap\nmetadata: {name: extra}\ndata: {k: v}\n");
  cluster_.fail({.method = kube::HttpMethod::kPost, .path = "/configmaps"},
                {.kind = test::Fault::Kind::kRefused});
  EXPECT_EQ(step().kind, ReconcileResult::Kind::kRetry);
  EXPECT_EQ(state_of(), "Profiling");
  step();
  EXPECT_EQ(state_of(), "Deploying");
  EXPECT_TRUE(cluster_.find(kube::kConfigMaps, "team-a", "extra"));
}

TEST_F(RequestTest, MissingResultIsReported) {
  profile();
  step();
  EXPECT_EQ(state_of(), "Failed");
  EXPECT_THAT(condition_of("SpecGenerated", "message"), HasSubstr("dgdr-output-r"));
}

TEST_F(RequestTest, UnreadableResultIsRetried) {
  profile();
  put_result(kValidGraph);
  cluster_.fail({.path = "/configmaps/dgdr-output-r"},
                {.kind = test::Fault::Kind::kStatus, .status = 500, .reason = "InternalError"});
  EXPECT_EQ(step().kind, ReconcileResult::Kind::kRetry);
  EXPECT_EQ(state_of(), "Profiling");
  step();
  EXPECT_EQ(state_of(), "Deploying");
}

TEST_F(RequestTest, FailedJobNamesItsPod) {
  step();
  step();
  cluster_.put(kube::kPods,
               R"({"metadata":{"name":"p","namespace":"team-a","labels":{"job-name":)"
               R"("profile-r"}},"status":{"phase":"Failed","containerStatuses":[{"name":)"
               R"("profiler","state":{"terminated":{"exitCode":137,"reason":"OOMKilled"}}}]}})");
  end_job("Failed");
  step();
  EXPECT_EQ(state_of(), "Failed");
  EXPECT_THAT(condition_of("Profiling", "message"), HasSubstr("exit code 137, reason OOMKilled"));
}

// As after a restart: the cache of Jobs is behind that of requests.
TEST_F(RequestTest, RetryIgnoresCachedJobOfEarlierAttempt) {
  step();
  step();
  end_job("Failed");
  step();
  ASSERT_EQ(state_of(), "Failed");
  cluster_.merge(kRequests, "team-a", "r",
                 R"({"metadata":{"annotations":{"nvidia.com/retry":"again"}}})");
  step();
  ASSERT_EQ(state_of(), "Pending");
  for (int i = 0; i < 2; ++i) {
    cache_->show(kRequests);
    reconcile(reconciler_, key_of("r"));
    EXPECT_EQ(state_of(), "Profiling");
    EXPECT_TRUE(has_job());
  }
}

// As after a restart: the cache of graphs is behind that of requests.
TEST_F(RequestTest, CreatedGraphIsNotDeletedIfUncached) {
  profile();
  put_result(kValidGraph);
  step();
  step();
  cache_->show(kRequests);
  reconcile(reconciler_, key_of("r"));
  EXPECT_EQ(state_of(), "Deploying");
}

TEST_F(RequestTest, RefusedJobStaysVisibleAndIsRetried) {
  step();
  cluster_.fail({.method = kube::HttpMethod::kPost, .path = "/jobs"},
                {.kind = test::Fault::Kind::kStatus,
                 .status = 403,
                 .reason = "Forbidden",
                 .body = "exceeded quota: jobs"});
  EXPECT_EQ(step().kind, ReconcileResult::Kind::kRetry);
  EXPECT_EQ(state_of(), "Pending");
  EXPECT_THAT(condition_of("Profiling", "message"), HasSubstr("exceeded quota"));
  step();
  EXPECT_EQ(state_of(), "Profiling");
}

TEST_F(RequestTest, RequestWaitsForFreeSlot) {
  put_request("second");
  step();
  step();
  step("second");
  step("second");
  EXPECT_FALSE(has_job("second"));
  EXPECT_EQ(condition_of("Profiling", "reason", "second"), "WaitingForProfilingSlot");
  end_job("Complete");
  step("second");
  EXPECT_TRUE(has_job("second"));
}

TEST_F(RequestTest, InvalidEditFailsWhileSlotsAreTaken) {
  put_request("second");
  step();
  step();
  step("second");
  step("second");
  cluster_.merge(kRequests, "team-a", "second",
                 R"({"metadata":{"generation":2},"spec":{"profilingConfig":{"configMapRef":)"
                 R"({"name":"missing"}}}})");
  step("second");
  EXPECT_EQ(state_of("second"), "Failed");
  EXPECT_THAT(condition_of("Validation", "message", "second"),
              HasSubstr("found no ConfigMap \"missing\""));
}

TEST_F(RequestTest, ReservedSlotCountsUntilTheJobIsCached) {
  put_request("second");
  step();
  step("second");
  step();
  // The cache still shows no Job.
  reconcile(reconciler_, {.namespace_name = "team-a", .name = "second"});
  EXPECT_FALSE(has_job("second"));
}

// The cache does not show the Job.
TEST_F(RequestTest, LostAnswerKeepsTheSlot) {
  put_request("second");
  step();
  step("second");
  cache_->show();
  fail_creation({.kind = test::Fault::Kind::kLostAnswer});
  EXPECT_EQ(reconcile(reconciler_, key_of("r")).kind, ReconcileResult::Kind::kRetry);
  ASSERT_TRUE(has_job());
  reconcile(reconciler_, key_of("second"));
  EXPECT_FALSE(has_job("second"));
  // The retry finds the Job on the server.
  cache_->show(kRequests);
  reconcile(reconciler_, key_of("r"));
  EXPECT_EQ(state_of(), "Profiling");
  cache_->show(kRequests);
  reconcile(reconciler_, key_of("second"));
  EXPECT_FALSE(has_job("second"));
}

TEST_F(RequestTest, SlotIsKeptWhileServerIsUnreachable) {
  put_request("second");
  step();
  step("second");
  fail_creation({.kind = test::Fault::Kind::kRefused});
  step();
  cluster_.fail({.path = "/jobs"}, {.kind = test::Fault::Kind::kRefused});
  EXPECT_EQ(step().kind, ReconcileResult::Kind::kRetry);
  step("second");
  EXPECT_FALSE(has_job("second"));
  step();
  EXPECT_TRUE(has_job());
}

TEST_F(RequestTest, RefusedStatusKeepsTheSlotOfTheJob) {
  put_request("second");
  step();
  step("second");
  cache_->show();
  cluster_.fail({.method = kube::HttpMethod::kPatch, .path = "/r/status"},
                {.kind = test::Fault::Kind::kStatus, .status = 403, .reason = "Forbidden"});
  reconcile(reconciler_, key_of("r"));
  ASSERT_TRUE(has_job());
  reconcile(reconciler_, key_of("second"));
  EXPECT_FALSE(has_job("second"));
}

TEST_F(RequestTest, RefusedJobWakesTheWaitingRequest) {
  fill_slot();
  fail_creation({.kind = test::Fault::Kind::kStatus, .status = 403, .reason = "Forbidden"});
  step();
  EXPECT_THAT(context_->enqueued, ElementsAre(key_of("second")));
  step("second");
  EXPECT_TRUE(has_job("second"));
}

TEST_F(RequestTest, DeletedRequestWakesTheWaitingRequest) {
  fill_slot();
  remove_request("r");
  EXPECT_THAT(context_->enqueued, ElementsAre(key_of("second")));
}

TEST_F(RequestTest, InvalidEditWakesTheWaitingRequest) {
  fill_slot();
  cluster_.merge(kRequests, "team-a", "r",
                 R"({"spec":{"profilingConfig":{"configMapRef":{"name":"missing"}}}})");
  step();
  EXPECT_EQ(state_of(), "Failed");
  EXPECT_THAT(context_->enqueued, ElementsAre(key_of("second")));
}

TEST_F(RequestTest, UnusedSlotIsPassedOn) {
  fill_slot();
  put_request("third");
  step("third");
  step("third");
  remove_request("r");
  EXPECT_THAT(context_->enqueued, ElementsAre(key_of("second")));
  remove_request("second");
  EXPECT_THAT(context_->enqueued, ElementsAre(key_of("second"), key_of("third")));
}

// Each refusal wakes a request once, so a quota causes no endless chain.
TEST_F(RequestTest, RefusedRequestIsNotWokenAgain) {
  fill_slot();
  const test::Fault refused{
      .kind = test::Fault::Kind::kStatus, .status = 403, .reason = "Forbidden"};
  fail_creation(refused);
  step();
  fail_creation(refused);
  step("second");
  EXPECT_THAT(context_->enqueued, ElementsAre(key_of("second")));
}

TEST_F(RequestTest, DeletionOfJobWakesPendingRequests) {
  fill_slot();
  cache_->show();
  const kube::Object running =
      kube::Object::parse(R"({"metadata":{"name":"profile-r","namespace":"team-a"}})").value();
  const kube::Object ending =
      kube::Object::parse(R"({"metadata":{"name":"profile-r","namespace":"team-a",)"
                          R"("deletionTimestamp":"2026-01-01T00:00:00Z"}})")
          .value();
  std::vector<kube::ObjectKey> keys;
  const kube::ObjectKey key = key_of("profile-r");
  reconciler_.map_to_requests(jobs(), {.key = key, .before = &running, .now = &ending}, *cache_,
                              keys);
  EXPECT_THAT(keys, Contains(key_of("second")));
}

TEST_F(RequestTest, RefusedJobFreesItsSlot) {
  put_request("second");
  step();
  step("second");
  fail_creation({.kind = test::Fault::Kind::kStatus, .status = 403, .reason = "Forbidden"});
  step();
  step("second");
  EXPECT_TRUE(has_job("second"));
}

TEST_F(RequestTest, MissingConfigMapAndClaimFailTheRequest) {
  cluster_.put(
      kRequests,
      R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeploymentRequest",)"
      R"("metadata":{"name":"r","namespace":"team-a","generation":1},"spec":{"model":"m",)"
      R"("backend":"vllm","profilingConfig":{"profilerImage":"p:1","configMapRef":{"name":)"
      R"("base"},"config":{"sla":{"ttft":1},"deployment":{"modelCache":{"pvcName":"models"}}}}}})");
  step();
  EXPECT_EQ(state_of(), "Failed");
  EXPECT_THAT(condition_of("Validation", "message"), HasSubstr("found no ConfigMap \"base\""));
  EXPECT_THAT(condition_of("Validation", "message"),
              HasSubstr("found no PersistentVolumeClaim \"models\""));
}

// A volume has the keys of binaryData, too.
TEST_F(RequestTest, BinaryKeyOfConfigMapIsAccepted) {
  cluster_.put(
      kRequests,
      R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeploymentRequest",)"
      R"("metadata":{"name":"r","namespace":"team-a","generation":1},"spec":{"model":"m",)"
      R"("backend":"vllm","profilingConfig":{"profilerImage":"p:1","configMapRef":{"name":)"
      R"("base"},"config":{"sla":{"ttft":1}}}}})");
  cluster_.put(kube::kConfigMaps, R"({"metadata":{"name":"base","namespace":"team-a"},)"
                                  R"("binaryData":{"disagg.yaml":"e30="}})");
  step();
  EXPECT_EQ(state_of(), "Pending");
}

TEST_F(RequestTest, NameTooLongForTheJobIsRefused) {
  const std::string name(56, 'a');
  put_request(name);
  step(name);
  EXPECT_EQ(state_of(name), "Failed");
  EXPECT_THAT(condition_of("Validation", "message", name), HasSubstr("at most 63"));
}

TEST_F(RequestTest, GraphOfAnotherRequestIsNotAdopted) {
  put_request("second");
  cluster_.put(kGraphs,
               R"({"metadata":{"name":"made","namespace":"team-a","labels":{)"
               R"("dgdr.nvidia.com/name":"second","dgdr.nvidia.com/namespace":"team-a"}}})");
  profile();
  put_result(kValidGraph);
  step();
  step();
  EXPECT_EQ(state_of(), "Deploying");
  EXPECT_EQ(condition_of("DeploymentReady", "reason"), "NameTaken");
}

TEST_F(RequestTest, DeletionOfForeignJobWakesTheWaitingRequest) {
  cache_->show();
  const kube::Object job =
      kube::Object::parse(R"({"metadata":{"name":"profile-r","namespace":"team-a"}})").value();
  EXPECT_THAT(mapped(jobs(), job), ElementsAre(key_of("r")));
}

TEST_F(RequestTest, DeletionOfGraphWakesTheWaitingRequest) {
  cluster_.put(kGraphs,
               R"({"metadata":{"name":"made","namespace":"team-a","ownerReferences":[{)"
               R"("apiVersion":"example.com/v1","kind":"Pipeline","name":"p","uid":"u"}]}})");
  profile();
  put_result(kValidGraph);
  step();
  step();
  ASSERT_EQ(condition_of("DeploymentReady", "reason"), "NameTaken");
  cache_->show();
  const kube::Object graph = cluster_.find(kGraphs, "team-a", "made").value();
  EXPECT_THAT(mapped(kGraphs, graph), ElementsAre(key_of("r")));
  cluster_.erase(kGraphs, "team-a", "made");
  step();
  EXPECT_TRUE(cluster_.find(kGraphs, "team-a", "made").has_value());
}

TEST_F(RequestTest, DeletedRequestWakesTheOneThatWaits) {
  put_request("second");
  cluster_.put(kGraphs,
               R"({"metadata":{"name":"made","namespace":"team-a","labels":{)"
               R"("dgdr.nvidia.com/name":"second","dgdr.nvidia.com/namespace":"team-a"}}})");
  cluster_.merge(kRequests, "team-a", "second",
                 R"({"status":{"deployment":{"created":true,"name":"made",)"
                 R"("namespace":"team-a"}}})");
  profile();
  put_result(kValidGraph);
  step();
  step();
  cache_->show();
  const kube::Object second = cluster_.find(kRequests, "team-a", "second").value();
  EXPECT_THAT(mapped(kRequests, second), ElementsAre(key_of("r")));
}

TEST_F(RequestTest, RejectedEditIsReportedOnce) {
  profile();
  cluster_.merge(kRequests, "team-a", "r", R"({"spec":{"model":"other"}})");
  take_events();
  step();
  EXPECT_THAT(take_events(),
              Contains("Warning SpecChangeRejected on DynamoGraphDeploymentRequest/r"));
  step();
  EXPECT_THAT(take_events(), IsEmpty());
}

}  // namespace
}  // namespace dynamo::reconciler::request
