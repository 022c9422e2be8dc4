// Plans of requests: each state, each transition, and bad input.
#include "reconciler/request/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "json/writer.hpp"
#include "tests/reconciler/graph/plan_helpers.hpp"

namespace dynamo::reconciler::request {
namespace {

using test::condition;
using test::find;
using test::message;
using test::object;
using test::status;
using test::words;
using test::writes;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr auto kNow = std::chrono::sys_days(std::chrono::January / 1 / 2026);
constexpr const char* kSelf = "DynamoGraphDeploymentRequest r";
constexpr const char* kGraph = R"({"apiVersion":"nvidia.com/v1alpha1",)"
                               R"("kind":"DynamoGraphDeployment","metadata":{"name":"made"},)"
                               R"("spec":{"services":{}}})";

std::string event_for_self(const std::string& reason) {
  return "event " + reason + " " + kSelf;
}

const std::string kStatusWrite = "patch " + std::string(kSelf) + " status";

// `more` are members of the spec, `status` is the status, both as YAML in one line.
std::string request_yaml(const std::string& status, const std::string& more = "",
                         const std::string& metadata = "generation: 1") {
  return "kind: DynamoGraphDeploymentRequest\n"
         "metadata: {name: r, namespace: ml, uid: u-r, resourceVersion: '5', "
         "finalizers: [nvidia.com/finalizer], " +
         metadata +
         "}\n"
         "spec: {model: m, backend: vllm, profilingConfig: {profilerImage: p, config: {sla: {}}}" +
         (more.empty() ? "" : ", " + more) + "}\nstatus: " + status + "\n";
}

ObservedState seen(const std::string& status, const std::string& more = "",
                   const std::string& metadata = "generation: 1") {
  ObservedState observed;
  observed.object = object(request_yaml(status, more, metadata));
  observed.environment.profile = render::default_operator_profile();
  observed.environment.namespace_restricted = true;
  observed.now = kNow;
  return observed;
}

std::string job_yaml(const std::string& conditions, const std::string& owner = "u-r") {
  return "kind: Job\n"
         "metadata: {name: profile-r, namespace: ml, uid: u-j, resourceVersion: '3', "
         "ownerReferences: [{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeploymentRequest, "
         "name: r, uid: " +
         owner + ", controller: true}]}\nspec: {}\nstatus: {conditions: [" + conditions + "]}\n";
}

constexpr const char* kComplete = "{type: Complete, status: 'True'}";
constexpr const char* kFailedJob = "{type: Failed, status: 'True', message: BackoffLimitExceeded}";

ObservedState profiled(const std::string& more = "", const std::string& graph = kGraph) {
  ObservedState observed = seen("{state: Profiling, observedGeneration: 1}", more);
  observed.objects.add(object(job_yaml(kComplete)));
  observed.extraction.emplace();
  observed.extraction->result.emplace();
  observed.extraction->result->graph = graph;
  return observed;
}

ObservedState deploying(const std::string& deployment = "", const std::string& created = "") {
  const std::string more = deployment.empty() ? "" : ", deployment: " + deployment;
  const std::string timestamp = created.empty() ? "" : ", creationTimestamp: '" + created + "'";
  return seen("{state: Deploying, observedGeneration: 1, generatedDeployment: " +
                  std::string(kGraph) + more + "}",
              "autoApply: true", "generation: 1" + timestamp);
}

// `more` are members of the metadata, in front of the labels.
kube::Object graph_in_state(const std::string& state, const std::string& labels = "{}",
                            const std::string& more = "") {
  return object("kind: DynamoGraphDeployment\nmetadata: {name: made, namespace: ml, uid: u-g, " +
                more + "labels: " + labels + "}\nstatus: {state: '" + state + "'}\n");
}

constexpr const char* kOwnLabels = "{dgdr.nvidia.com/name: r, dgdr.nvidia.com/namespace: ml}";

std::string next_state(const Plan& plan) {
  return status(plan, "state");
}

bool asks_for_next(const Plan& plan) {
  return plan.outcome == PlanOutcome::kWait && plan.pause.count() == 0;
}

// --- Acceptance.

TEST(RequestPlan, NewRequestBecomesPending) {
  const Plan made = plan(seen("{}"));
  EXPECT_THAT(words(made), ElementsAre(kStatusWrite, event_for_self("Initialized")));
  EXPECT_EQ(next_state(made), R"("Pending")");
  EXPECT_EQ(status(made, "observedGeneration"), "1");
  EXPECT_EQ(status(made, "backend"), R"("vllm")");
  EXPECT_EQ(status(made, "conditions"), "");
  EXPECT_TRUE(asks_for_next(made));
}

TEST(RequestPlan, FinalizerIsAddedFirst) {
  ObservedState observed = seen("{}");
  observed.object = object(
      "kind: DynamoGraphDeploymentRequest\n"
      "metadata: {name: r, namespace: ml, uid: u-r, resourceVersion: '5', generation: 1}\n"
      "spec: {model: m, backend: vllm}\n");
  EXPECT_THAT(writes(plan(observed)), ElementsAre("jsonPatch " + std::string(kSelf), kStatusWrite));
}

TEST(RequestPlan, DeletionOnlyRemovesTheFinalizer) {
  const Plan made = plan(seen("{state: Profiling, observedGeneration: 1}", "",
                              "generation: 2, deletionTimestamp: '2026-01-01T00:00:00Z'"));
  EXPECT_THAT(words(made), ElementsAre("jsonPatch " + std::string(kSelf)));
}

TEST(RequestPlan, InvalidRequestFailsWithEveryError) {
  ObservedState observed = seen("{}");
  observed.errors = {"spec.model: must be set", "spec.x: must exist"};
  const Plan made = plan(observed);
  EXPECT_THAT(words(made), ElementsAre(kStatusWrite, event_for_self("ValidationFailed")));
  EXPECT_EQ(next_state(made), R"("Failed")");
  EXPECT_EQ(condition(made, "Validation"), "False ValidationFailed");
  EXPECT_EQ(message(made, "Validation"), "spec.model: must be set; spec.x: must exist");
  EXPECT_EQ(status(made, "observedGeneration"), "");
  EXPECT_EQ(status(made, "backend"), "");
}

TEST(RequestPlan, ObjectWithoutGenerationGetsNoObservedGeneration) {
  EXPECT_EQ(status(plan(seen("{}", "", "labels: {}")), "observedGeneration"), "");
}

// --- Immutability.

TEST(RequestPlan, EditAfterProfilingBeganIsRejected) {
  for (const char* const state : {"Profiling", "Deploying", "Ready", "DeploymentDeleted"}) {
    SCOPED_TRACE(state);
    ObservedState observed = seen("{state: " + std::string(state) + ", observedGeneration: 1}",
                                  "autoApply: true", "generation: 2");
    EXPECT_THAT(words(plan(observed)), ElementsAre(event_for_self("SpecChangeRejected")));
    EXPECT_THAT(plan(observed).why, HasSubstr(state));
    observed.reported_generation = 2;
    EXPECT_THAT(words(plan(observed)), IsEmpty());
  }
}

TEST(RequestPlan, EditWhilePendingIsUsedForTheJob) {
  const Plan made =
      plan(seen("{state: Pending, observedGeneration: 1, backend: sglang}", "", "generation: 2"));
  EXPECT_EQ(next_state(made), R"("Profiling")");
  EXPECT_EQ(status(made, "observedGeneration"), "2");
  EXPECT_EQ(status(made, "backend"), R"("vllm")");
}

TEST(RequestPlan, InvalidEditWhilePendingFails) {
  ObservedState observed = seen("{state: Pending, observedGeneration: 1}", "", "generation: 2");
  observed.errors = {"spec.model: must be set"};
  const Plan made = plan(observed);
  EXPECT_EQ(next_state(made), R"("Failed")");
  EXPECT_EQ(find(made, "create Job profile-r"), nullptr);
}

TEST(RequestPlan, InvalidEditIsReportedWithoutFreeSlot) {
  ObservedState observed = seen("{state: Pending, observedGeneration: 1}", "", "generation: 2");
  observed.errors = {"spec.model: must be set"};
  observed.has_free_slot = false;
  const Plan made = plan(observed);
  EXPECT_EQ(next_state(made), R"("Failed")");
  EXPECT_EQ(condition(made, "Validation"), "False ValidationFailed");
}

// --- The Job.

TEST(RequestPlan, PendingRequestCreatesItsJob) {
  const Plan made = plan(seen("{state: Pending, observedGeneration: 1}"));
  EXPECT_THAT(words(made), ElementsAre("create Job profile-r", "event CreateJob Job profile-r",
                                       kStatusWrite, event_for_self("ProfilingJobCreated")));
  EXPECT_EQ(next_state(made), R"("Profiling")");
  EXPECT_EQ(condition(made, "Profiling"), "False ProfilingRunning");
  EXPECT_TRUE(asks_for_next(made));
}

TEST(RequestPlan, EarlierResultIsDeletedBeforeTheJob) {
  ObservedState observed = seen("{state: Pending, observedGeneration: 1}");
  observed.objects.add(
      object("kind: ConfigMap\nmetadata: {name: dgdr-output-r, namespace: ml, "
             "uid: u-c}\n"));
  EXPECT_THAT(writes(plan(observed)),
              ElementsAre("delete ConfigMap dgdr-output-r", "create Job profile-r", kStatusWrite));
}

TEST(RequestPlan, ExistingJobIsNotChanged) {
  ObservedState observed = seen("{state: Pending, observedGeneration: 1}");
  observed.objects.add(object(job_yaml("")));
  observed.objects.add(
      object("kind: ConfigMap\nmetadata: {name: dgdr-output-r, namespace: ml, "
             "uid: u-c}\n"));
  const Plan made = plan(observed);
  EXPECT_THAT(writes(made), ElementsAre(kStatusWrite));
  EXPECT_EQ(next_state(made), R"("Profiling")");
}

TEST(RequestPlan, JobOfAnotherObjectIsNotTakenOver) {
  ObservedState observed = seen("{state: Pending, observedGeneration: 1}");
  observed.objects.add(object("kind: Job\nmetadata: {name: profile-r, namespace: ml, uid: u-j}\n"));
  const Plan made = plan(observed);
  EXPECT_THAT(words(made), ElementsAre(kStatusWrite, event_for_self("ProfilingJobFailed")));
  EXPECT_EQ(next_state(made), "");
  EXPECT_EQ(condition(made, "Profiling"), "False NameTaken");
  EXPECT_THAT(message(made, "Profiling"), HasSubstr("Job profile-r must be free"));
}

TEST(RequestPlan, UnwatchedJobIsReadMoreOften) {
  ObservedState observed = seen("{state: Pending, observedGeneration: 1}");
  observed.objects.add(object("kind: Job\nmetadata: {name: profile-r, namespace: ml, uid: u-j}\n"));
  EXPECT_EQ(plan(observed).pause, std::chrono::seconds(10));
  observed.objects.add(object(
      "kind: Job\nmetadata: {name: profile-r, namespace: ml, uid: u-j, labels: {dgdr: x}}\n"));
  EXPECT_EQ(plan(observed).pause, std::chrono::seconds(60));
}

// Garbage collection deletes it with the request, but another client may have created it.
TEST(RequestPlan, JobWithoutControllerIsNotTakenOver) {
  ObservedState observed = seen("{state: Pending, observedGeneration: 1}");
  observed.objects.add(
      object("kind: Job\nmetadata: {name: profile-r, namespace: ml, uid: u-j, ownerReferences: "
             "[{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeploymentRequest, name: r, "
             "uid: u-r}]}\n"));
  const Plan made = plan(observed);
  EXPECT_THAT(words(made), ElementsAre(kStatusWrite, event_for_self("ProfilingJobFailed")));
  EXPECT_EQ(condition(made, "Profiling"), "False NameTaken");
  EXPECT_THAT(message(made, "Profiling"), HasSubstr("without a controller"));
}

TEST(RequestPlan, JobOfFormerRequestIsAwaited) {
  ObservedState observed = seen("{state: Pending, observedGeneration: 1}");
  observed.objects.add(object(job_yaml("", "u-before")));
  const Plan made = plan(observed);
  EXPECT_EQ(condition(made, "Profiling"), "False WaitingForDeletion");
  EXPECT_EQ(made.outcome, PlanOutcome::kWait);
  EXPECT_GT(made.pause.count(), 0);
}

TEST(RequestPlan, RequestWaitsWhileAllSlotsAreTaken) {
  ObservedState observed = seen("{state: Pending, observedGeneration: 1}");
  observed.has_free_slot = false;
  observed.max_jobs = 10;
  const Plan made = plan(observed);
  EXPECT_THAT(words(made), ElementsAre(kStatusWrite));
  EXPECT_EQ(condition(made, "Profiling"), "False WaitingForProfilingSlot");
  EXPECT_THAT(message(made, "Profiling"), HasSubstr("at most 10"));
}

TEST(RequestPlan, ConfigurationThatIsNoObjectFails) {
  ObservedState observed = seen("{state: Pending, observedGeneration: 1}");
  observed.object = object(
      "kind: DynamoGraphDeploymentRequest\n"
      "metadata: {name: r, namespace: ml, uid: u-r, generation: 1, "
      "finalizers: [nvidia.com/finalizer]}\n"
      "spec: {profilingConfig: {config: {engine: text}}}\n"
      "status: {state: Pending, observedGeneration: 1}\n");
  const Plan made = plan(observed);
  EXPECT_EQ(next_state(made), R"("Failed")");
  EXPECT_EQ(condition(made, "Profiling"), "False JobCreationFailed");
  EXPECT_THAT(words(made), ElementsAre(kStatusWrite, event_for_self("ProfilingJobFailed")));
}

TEST(RequestPlan, ClusterWideOperatorBindsTheAccount) {
  ObservedState observed = seen("{state: Pending, observedGeneration: 1}");
  observed.environment.namespace_restricted = false;
  observed.environment.profiling_cluster_role = "prof";
  observed.objects.add(object("kind: ClusterRole\nmetadata: {name: prof}\n"));
  EXPECT_THAT(writes(plan(observed)), ElementsAre("create ServiceAccount dgdr-profiling-job",
                                                  "create RoleBinding dgdr-profiling-job-binding",
                                                  "create Job profile-r", kStatusWrite));
}

TEST(RequestPlan, MissingClusterRoleIsAwaited) {
  ObservedState observed = seen("{state: Pending, observedGeneration: 1}");
  observed.environment.namespace_restricted = false;
  observed.environment.profiling_cluster_role = "prof";
  const Plan made = plan(observed);
  EXPECT_THAT(writes(made), ElementsAre(kStatusWrite));
  EXPECT_EQ(next_state(made), "");
  EXPECT_EQ(condition(made, "Profiling"), "False JobCreationFailed");
  EXPECT_THAT(message(made, "Profiling"), HasSubstr("\"prof\""));
}

TEST(RequestPlan, RefusedJobIsRetriedAndReportedOnce) {
  const std::string why = "create jobs: 403 Forbidden: exceeded quota";
  ObservedState observed = seen("{state: Pending, observedGeneration: 1}");
  const Plan failed = plan_after_failure(observed, why);
  EXPECT_THAT(words(failed), ElementsAre(kStatusWrite, event_for_self("ProfilingJobFailed")));
  EXPECT_EQ(failed.outcome, PlanOutcome::kRetry);
  EXPECT_EQ(next_state(failed), "");
  EXPECT_EQ(message(failed, "Profiling"), why);
  observed = seen(
      "{state: Pending, observedGeneration: 1, conditions: " + status(failed, "conditions") + "}");
  EXPECT_THAT(words(plan_after_failure(observed, why)), IsEmpty());
}

// --- Profiling.

TEST(RequestPlan, RunningJobChangesNothing) {
  ObservedState observed = seen("{state: Profiling, observedGeneration: 1}");
  observed.objects.add(object(job_yaml("")));
  const Plan made = plan(observed);
  EXPECT_THAT(words(made), IsEmpty());
  EXPECT_EQ(made.outcome, PlanOutcome::kDone);
}

TEST(RequestPlan, SuspendedJobIsReportedAndAwaited) {
  ObservedState observed = seen("{state: Profiling, observedGeneration: 1}");
  observed.objects.add(
      object("kind: Job\nmetadata: {name: profile-r, namespace: ml, uid: u-j}\n"
             "spec: {suspend: true}\n"));
  const Plan made = plan(observed);
  EXPECT_THAT(words(made), ElementsAre(kStatusWrite));
  EXPECT_EQ(next_state(made), "");
  EXPECT_EQ(condition(made, "Profiling"), "False ProfilingRunning");
  EXPECT_THAT(message(made, "Profiling"), HasSubstr("Job profile-r is suspended"));
  const std::string suspended =
      "{state: Profiling, observedGeneration: 1, conditions: " + status(made, "conditions") + "}";
  observed.object = object(request_yaml(suspended));
  EXPECT_THAT(words(plan(observed)), IsEmpty());
  observed.objects.add(object(job_yaml("")));
  EXPECT_THAT(message(plan(observed), "Profiling"), HasSubstr("Job profile-r runs"));
}

TEST(RequestPlan, WaitingPodIsReportedOnce) {
  ObservedState observed = seen("{state: Profiling, observedGeneration: 1}");
  observed.objects.add(object(job_yaml("")));
  observed.pods = "pod p: container profiler waits, reason ImagePullBackOff";
  const Plan made = plan(observed);
  EXPECT_THAT(words(made), ElementsAre(kStatusWrite, event_for_self("ProfilingPodWaits")));
  EXPECT_EQ(condition(made, "Profiling"), "False ProfilingRunning");
  EXPECT_THAT(message(made, "Profiling"), HasSubstr("ImagePullBackOff"));
  observed.object = object(request_yaml(
      "{state: Profiling, observedGeneration: 1, conditions: " + status(made, "conditions") + "}"));
  EXPECT_THAT(words(plan(observed)), IsEmpty());
}

TEST(RequestPlan, FailedJobIsReportedWithItsPod) {
  ObservedState observed = seen("{state: Profiling, observedGeneration: 1}");
  observed.objects.add(object(job_yaml(kFailedJob)));
  observed.pods = "pod p: container profiler ended with exit code 137, reason OOMKilled";
  const Plan made = plan(observed);
  EXPECT_THAT(words(made), ElementsAre(kStatusWrite, event_for_self("ProfilingCheckFailed")));
  EXPECT_EQ(next_state(made), R"("Failed")");
  EXPECT_EQ(condition(made, "Profiling"), "False ProfilingFailed");
  EXPECT_THAT(message(made, "Profiling"), HasSubstr("BackoffLimitExceeded; pod p: container"));
  EXPECT_TRUE(asks_for_next(made));
}

TEST(RequestPlan, DeletedJobFailsTheRequest) {
  const Plan made = plan(seen("{state: Profiling, observedGeneration: 1}"));
  EXPECT_EQ(next_state(made), R"("Failed")");
  EXPECT_EQ(condition(made, "Profiling"), "False ProfilingFailed");
  EXPECT_THAT(message(made, "Profiling"), HasSubstr("it was deleted"));
}

TEST(RequestPlan, JobOfAnotherOwnerIsNotRead) {
  for (const char* const controller : {"true", "false"}) {
    SCOPED_TRACE(controller);
    ObservedState observed = profiled();
    observed.objects = {};
    observed.objects.add(
        object("kind: Job\nmetadata: {name: profile-r, namespace: ml, uid: u-j, ownerReferences: "
               "[{apiVersion: example.com/v1, kind: Pipeline, name: p, uid: u-p, controller: " +
               std::string(controller) + "}]}\nstatus: {conditions: [" + kComplete + "]}\n"));
    const Plan made = plan(observed);
    EXPECT_EQ(next_state(made), R"("Failed")");
    EXPECT_EQ(condition(made, "Profiling"), "False ProfilingFailed");
    EXPECT_THAT(message(made, "Profiling"), HasSubstr("found one of Pipeline p"));
  }
}

TEST(RequestPlan, JobThatLostItsOwnerIsRead) {
  ObservedState observed = profiled();
  observed.objects = {};
  observed.objects.add(
      object("kind: Job\nmetadata: {name: profile-r, namespace: ml, uid: u-j}\n"
             "status: {conditions: [" +
             std::string(kComplete) + "]}\n"));
  EXPECT_EQ(next_state(plan(observed)), R"("Ready")");
}

TEST(RequestPlan, ResultIsStoredForManualApplication) {
  const Plan made = plan(profiled());
  EXPECT_THAT(words(made), ElementsAre(kStatusWrite, event_for_self("SpecGenerated")));
  EXPECT_EQ(next_state(made), R"("Ready")");
  EXPECT_EQ(status(made, "generatedDeployment"), kGraph);
  EXPECT_EQ(status(made, "profilingResults"), R"("configmap/dgdr-output-r")");
  EXPECT_EQ(condition(made, "Profiling"), "True ProfilingCompleted");
  EXPECT_EQ(condition(made, "SpecGenerated"), "True SpecGenerated");
}

TEST(RequestPlan, AutomaticApplicationFollowsTheResult) {
  EXPECT_EQ(next_state(plan(profiled("autoApply: true"))), R"("Deploying")");
}

TEST(RequestPlan, NamespaceOfTheResultIsReported) {
  constexpr const char* kElsewhere =
      R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",)"
      R"("metadata":{"name":"g","namespace":"x"},"spec":{"services":{}}})";
  const std::string report =
      R"(the result names namespace "x" for DynamoGraphDeployment "g"; it is created in "ml", )"
      "the namespace of the request";
  const Plan made = plan(profiled("autoApply: true", kElsewhere));
  EXPECT_EQ(condition(made, "SpecGenerated"), "True SpecGenerated");
  EXPECT_THAT(message(made, "SpecGenerated"), EndsWith("; " + report));
  EXPECT_THAT(words(made), ElementsAre(kStatusWrite, event_for_self("SpecGenerated")));
  const auto* const generated = std::get_if<EmitEvent>(find(made, event_for_self("SpecGenerated")));
  ASSERT_NE(generated, nullptr);
  EXPECT_EQ(generated->note, "the graph g was generated; " + report);
  EXPECT_THAT(message(plan(profiled("", kElsewhere)), "SpecGenerated"),
              HasSubstr(R"(a client applies it there, not in "ml")"));
}

TEST(RequestPlan, MissingResultFailsGeneration) {
  ObservedState observed = profiled();
  observed.extraction = missing_result("dgdr-output-r");
  const Plan made = plan(observed);
  EXPECT_THAT(words(made), ElementsAre(kStatusWrite, event_for_self("GenerationFailed")));
  EXPECT_EQ(next_state(made), R"("Failed")");
  EXPECT_EQ(condition(made, "Profiling"), "True ProfilingCompleted");
  EXPECT_EQ(condition(made, "SpecGenerated"), "False GenerationFailed");
  EXPECT_EQ(status(made, "generatedDeployment"), "");
}

TEST(RequestPlan, DeniedGraphCreatesNothing) {
  ObservedState observed = profiled("autoApply: true");
  observed.extraction->result->additional = {
      {.kind = "ConfigMap", .name = "c", .manifest = R"({"kind":"ConfigMap"})"}};
  observed.denial = "spec.services: must name at least one service";
  const Plan made = plan(observed);
  EXPECT_THAT(writes(made), ElementsAre(kStatusWrite));
  EXPECT_EQ(next_state(made), R"("Failed")");
  EXPECT_THAT(message(made, "SpecGenerated"), HasSubstr("must name at least one service"));
}

TEST(RequestPlan, UnnamedGraphFailsAutomaticApplication) {
  const std::string unnamed = R"({"metadata":{},"spec":{}})";
  const Plan made = plan(profiled("autoApply: true", unnamed));
  EXPECT_EQ(condition(made, "SpecGenerated"), "False GenerationFailed");
  EXPECT_THAT(message(made, "SpecGenerated"), HasSubstr("deploymentOverrides.name"));
  EXPECT_EQ(next_state(plan(profiled("autoApply: true, deploymentOverrides: {name: g}", unnamed))),
            R"("Deploying")");
}

TEST(RequestPlan, UnnamedGraphIsReadyForManualApplication) {
  for (const char* const metadata : {"{}", R"({"name":""})", R"({"name":null})"}) {
    SCOPED_TRACE(metadata);
    const Plan made = plan(profiled("", R"({"metadata":)" + std::string(metadata) + "}"));
    EXPECT_EQ(next_state(made), R"("Ready")");
    EXPECT_EQ(condition(made, "SpecGenerated"), "True SpecGenerated");
    EXPECT_THAT(message(made, "SpecGenerated"), HasSubstr("with a metadata.name, which it lacks"));
  }
}

TEST(RequestPlan, InvalidGraphNameFailsGeneration) {
  for (const char* const name : {R"("Not a name")", "5"}) {
    SCOPED_TRACE(name);
    const Plan made = plan(profiled("", R"({"metadata":{"name":)" + std::string(name) + "}}"));
    EXPECT_EQ(condition(made, "SpecGenerated"), "False GenerationFailed");
  }
}

TEST(RequestPlan, OtherKindsThanConfigMapsAreNamed) {
  ObservedState observed = profiled();
  ProfilingResult& result = *observed.extraction->result;
  result.additional = {{.kind = "ConfigMap", .name = "new", .manifest = R"({"data":{}})"},
                       {.kind = "ConfigMap", .name = "old", .manifest = R"({"data":{}})"},
                       {.kind = "Secret", .name = "s", .manifest = "{}"}};
  result.annotation = "kind: ConfigMap";
  observed.existing_config_maps = {"old"};
  const Plan made = plan(observed);
  EXPECT_THAT(words(made),
              ElementsAre("patch " + std::string(kSelf), "create ConfigMap new", kStatusWrite,
                          event_for_self("SpecGenerated"), event_for_self("ResourceNotCreated")));
  const auto* const warning =
      std::get_if<EmitEvent>(find(made, event_for_self("ResourceNotCreated")));
  ASSERT_NE(warning, nullptr);
  EXPECT_THAT(warning->note, HasSubstr("Secret s"));
  EXPECT_THAT(message(made, "SpecGenerated"),
              EndsWith("; Secret s must be created by a user if needed"));
  EXPECT_EQ(condition(made, "Profiling"), "True ProfilingCompleted");
}

TEST(RequestPlan, OlderConfigMapIsReportedAndNotChanged) {
  ObservedState observed = profiled();
  observed.extraction->result->additional = {
      {.kind = "ConfigMap", .name = "old", .manifest = R"({"data":{}})"}};
  observed.existing_config_maps = {"old"};
  observed.older_config_maps = {"old"};
  const Plan made = plan(observed);
  EXPECT_THAT(words(made), ElementsAre(kStatusWrite, event_for_self("SpecGenerated"),
                                       event_for_self("ConfigMapExisted")));
  const auto* const warning =
      std::get_if<EmitEvent>(find(made, event_for_self("ConfigMapExisted")));
  ASSERT_NE(warning, nullptr);
  EXPECT_TRUE(warning->is_warning);
  EXPECT_THAT(warning->note, EndsWith(": old"));
}

TEST(RequestPlan, RefusedNamespaceGetsNoConfigMap) {
  ObservedState observed = profiled();
  observed.extraction->result->additional = {
      {.kind = "ConfigMap", .name = "new", .manifest = R"({"data":{}})"}};
  observed.refused_namespace = "must be a namespace that this operator serves";
  EXPECT_THAT(words(plan(observed)), ElementsAre(kStatusWrite, event_for_self("SpecGenerated"),
                                                 event_for_self("ConfigMapCreationFailed")));
}

TEST(RequestPlan, RefusedConfigMapDoesNotStopTheRequest) {
  ObservedState observed = profiled("autoApply: true");
  observed.extraction->result->additional = {
      {.kind = "ConfigMap", .name = "new", .manifest = R"({"data":{}})"}};
  observed.refused_config_maps = {{"new", "403 Forbidden: exceeded quota"}};
  const Plan made = plan(observed);
  EXPECT_THAT(words(made), ElementsAre(kStatusWrite, event_for_self("SpecGenerated"),
                                       event_for_self("ConfigMapCreationFailed")));
  const auto* const warning =
      std::get_if<EmitEvent>(find(made, event_for_self("ConfigMapCreationFailed")));
  ASSERT_NE(warning, nullptr);
  EXPECT_THAT(warning->note, HasSubstr("ConfigMap new: 403 Forbidden: exceeded quota"));
  EXPECT_EQ(next_state(made), R"("Deploying")");
}

// --- The graph.

TEST(RequestPlan, GraphIsCreatedFromTheStatus) {
  const Plan made = plan(deploying());
  EXPECT_THAT(words(made), ElementsAre("create DynamoGraphDeployment made", kStatusWrite,
                                       event_for_self("DeploymentCreated")));
  EXPECT_EQ(status(made, "deployment"),
            R"({"created":true,"name":"made","namespace":"ml","state":"pending"})");
  EXPECT_EQ(condition(made, "DeploymentReady"), "False DeploymentCreated");
  EXPECT_EQ(made.outcome, PlanOutcome::kDone);
}

TEST(RequestPlan, GraphWithoutOwnerIsFollowedUnchanged) {
  ObservedState observed = deploying();
  observed.graph = graph_in_state("successful");
  const Plan made = plan(observed);
  EXPECT_THAT(words(made), ElementsAre(kStatusWrite));
  EXPECT_EQ(status(made, "deployment"),
            R"({"created":true,"name":"made","namespace":"ml","state":"pending"})");
  EXPECT_EQ(condition(made, "DeploymentReady"), "");
}

TEST(RequestPlan, OwnGraphOfInterruptedReconcileIsReported) {
  ObservedState observed = deploying();
  observed.graph = graph_in_state("", kOwnLabels);
  EXPECT_THAT(words(plan(observed)),
              ElementsAre(kStatusWrite, event_for_self("DeploymentCreated")));
}

TEST(RequestPlan, GraphOfDeletedPredecessorIsReported) {
  struct Row {
    const char* created;
    const char* reason;
  };
  for (const Row& row : {Row{"2025-12-31T23:59:59Z", "DeploymentExisted"},
                         Row{"2026-01-01T00:00:00Z", "DeploymentCreated"},
                         Row{"2026-01-01T00:05:00Z", "DeploymentCreated"}}) {
    SCOPED_TRACE(row.created);
    ObservedState observed = deploying("", "2026-01-01T00:00:00Z");
    observed.graph = graph_in_state("successful", kOwnLabels,
                                    "creationTimestamp: '" + std::string(row.created) + "', ");
    const Plan made = plan(observed);
    EXPECT_THAT(words(made), ElementsAre(kStatusWrite, event_for_self(row.reason)));
    EXPECT_EQ(condition(made, "DeploymentReady"), "False " + std::string(row.reason));
    EXPECT_EQ(status(made, "deployment"),
              R"({"created":true,"name":"made","namespace":"ml","state":"pending"})");
  }
}

TEST(RequestPlan, FollowedGraphOfPredecessorStaysVisible) {
  ObservedState observed =
      deploying("{created: true, name: made, namespace: ml}", "2026-01-01T00:00:00Z");
  observed.graph =
      graph_in_state("successful", kOwnLabels, "creationTimestamp: '2025-12-31T00:00:00Z', ");
  const Plan made = plan(observed);
  EXPECT_EQ(condition(made, "DeploymentReady"), "True DeploymentReady");
  EXPECT_THAT(message(made, "DeploymentReady"),
              EndsWith("is successful; it existed before the request and was not changed"));
}

TEST(RequestPlan, GraphOfAnotherRequestIsNotAdopted) {
  ObservedState observed = deploying();
  observed.graph = graph_in_state("successful");
  observed.other_request = {.namespace_name = "ml", .name = "first"};
  const Plan made = plan(observed);
  EXPECT_THAT(words(made), ElementsAre(kStatusWrite, event_for_self("DeploymentCreationFailed")));
  EXPECT_EQ(condition(made, "DeploymentReady"), "False NameTaken");
  EXPECT_THAT(message(made, "DeploymentReady"), HasSubstr("ml/first"));
  EXPECT_EQ(status(made, "deployment"), "");
}

TEST(RequestPlan, GraphOfAnotherOwnerIsNotAdopted) {
  ObservedState observed = deploying();
  observed.graph = object(
      "kind: DynamoGraphDeployment\nmetadata: {name: made, namespace: ml, uid: u-g, "
      "ownerReferences: [{apiVersion: example.com/v1, kind: Pipeline, name: p, uid: u-p}]}\n"
      "status: {state: successful}\n");
  const Plan made = plan(observed);
  EXPECT_THAT(words(made), ElementsAre(kStatusWrite, event_for_self("DeploymentCreationFailed")));
  EXPECT_EQ(condition(made, "DeploymentReady"), "False NameTaken");
  EXPECT_THAT(message(made, "DeploymentReady"), HasSubstr("found that of Pipeline p"));
  EXPECT_EQ(status(made, "deployment"), "");
  EXPECT_EQ(made.outcome, PlanOutcome::kWait);
}

TEST(RequestPlan, UnservedNamespaceGetsNoGraph) {
  ObservedState observed = deploying();
  observed.refused_namespace = "spec.deploymentOverrides.namespace: must be served";
  const Plan made = plan(observed);
  EXPECT_THAT(writes(made), ElementsAre(kStatusWrite));
  EXPECT_EQ(condition(made, "DeploymentReady"), "False DeploymentCreationFailed");
}

TEST(RequestPlan, RefusedGraphIsRetriedWithCondition) {
  const Plan made = plan_after_failure(deploying(), "denied by a webhook");
  EXPECT_THAT(words(made), ElementsAre(kStatusWrite, event_for_self("DeploymentCreationFailed")));
  EXPECT_EQ(made.outcome, PlanOutcome::kRetry);
  EXPECT_EQ(condition(made, "DeploymentReady"), "False DeploymentCreationFailed");
}

TEST(RequestPlan, StateOfTheGraphIsMirrored) {
  struct Row {
    const char* before;
    const char* graph;
    const char* state;
    const char* ready;
    const char* event;
  };
  for (const Row& row : {
           Row{"Deploying", "", "", "", ""},
           Row{"Deploying", "successful", R"("Ready")", "True DeploymentReady", "DeploymentReady"},
           Row{"Ready", "pending", R"("Deploying")", "False DeploymentDegraded",
               "DeploymentDegraded"},
           Row{"Ready", "successful", "", "", ""},
       }) {
    SCOPED_TRACE(std::string(row.before) + " " + row.graph);
    ObservedState observed =
        seen("{state: " + std::string(row.before) +
                 ", observedGeneration: 1, deployment: {created: true, name: made, namespace: ml, "
                 "state: successful}}",
             "autoApply: true");
    observed.graph = graph_in_state(row.graph);
    const Plan made = plan(observed);
    EXPECT_EQ(next_state(made), row.state);
    EXPECT_EQ(condition(made, "DeploymentReady"), row.ready);
    if (*row.event != '\0') {
      EXPECT_THAT(words(made), Contains(event_for_self(row.event)));
    }
  }
}

TEST(RequestPlan, DeletedGraphEndsTheRequest) {
  for (const char* const state : {"Deploying", "Ready"}) {
    const Plan made =
        plan(seen("{state: " + std::string(state) +
                      ", observedGeneration: 1, deployment: {created: true, name: made, "
                      "namespace: ml, state: successful}}",
                  "autoApply: true"));
    EXPECT_THAT(words(made), ElementsAre(kStatusWrite, event_for_self("DeploymentDeleted")));
    EXPECT_EQ(next_state(made), R"("DeploymentDeleted")");
    EXPECT_EQ(condition(made, "DeploymentReady"), "False DeploymentDeleted");
  }
}

TEST(RequestPlan, FinalStatesChangeNothing) {
  EXPECT_THAT(words(plan(seen("{state: Ready, observedGeneration: 1}"))), IsEmpty());
  EXPECT_THAT(words(plan(seen("{state: Failed, observedGeneration: 1}"))), IsEmpty());
  EXPECT_THAT(words(plan(seen("{state: DeploymentDeleted, observedGeneration: 1}"))), IsEmpty());
}

TEST(RequestPlan, UnknownStateFailsWithCondition) {
  const Plan made = plan(seen("{state: Dreaming, observedGeneration: 1}"));
  EXPECT_THAT(words(made), ElementsAre(kStatusWrite, event_for_self("UnknownState")));
  EXPECT_EQ(next_state(made), R"("Failed")");
  EXPECT_EQ(condition(made, "Validation"), "False UnknownState");
  EXPECT_THAT(message(made, "Validation"), HasSubstr("found \"Dreaming\""));
}

// --- Retries.

constexpr const char* kFailedStatus =
    "{state: Failed, observedGeneration: 1, backend: vllm, profilingResults: configmap/x, "
    "conditions: [{type: Profiling, status: 'False', reason: ProfilingFailed, message: m, "
    "observedGeneration: 1}, {type: Other, status: 'True', reason: R, message: m}]}";

TEST(RequestPlan, EditRetriesFailedRequest) {
  ObservedState observed = seen(kFailedStatus, "", "generation: 2");
  observed.objects.add(object(job_yaml(kFailedJob)));
  const Plan made = plan(observed);
  EXPECT_THAT(words(made),
              ElementsAre("delete Job profile-r", kStatusWrite, event_for_self("Initialized")));
  EXPECT_EQ(next_state(made), R"("Pending")");
  EXPECT_EQ(status(made, "observedGeneration"), "2");
  EXPECT_EQ(status(made, "profilingResults"), "null");
  EXPECT_EQ(condition(made, "Profiling"), "");
  EXPECT_EQ(condition(made, "Other"), "True R");
}

TEST(RequestPlan, AnnotationRetriesFailedRequestOnce) {
  const Plan made =
      plan(seen(kFailedStatus, "", "generation: 1, annotations: {nvidia.com/retry: 'yes'}"));
  EXPECT_THAT(words(made), ElementsAre(kStatusWrite, event_for_self("Initialized"),
                                       "patch " + std::string(kSelf)));
  EXPECT_THAT(std::string(body_of(made.actions.back())),
              HasSubstr(R"("annotations":{"nvidia.com/observed-retry":"yes"})"));
  // A manifest that has the annotation may be applied again.
  const std::string applied = "generation: 1, annotations: {nvidia.com/observed-retry: 'yes', ";
  EXPECT_EQ(step_of(seen(kFailedStatus, "", applied + "nvidia.com/retry: 'yes'}").object),
            RequestStep::kRest);
  EXPECT_EQ(step_of(seen(kFailedStatus, "", applied + "nvidia.com/retry: 'again'}").object),
            RequestStep::kAccept);
}

TEST(RequestPlan, AnnotationOfNewRequestIsNotRetried) {
  const Plan made = plan(seen("{}", "", "generation: 1, annotations: {nvidia.com/retry: 'yes'}"));
  EXPECT_EQ(words(made).back(), "patch " + std::string(kSelf));
  EXPECT_THAT(std::string(body_of(made.actions.back())),
              HasSubstr(R"("nvidia.com/observed-retry":"yes")"));
}

TEST(RequestPlan, RefusedNewRequestIsRetriedAfterEdit) {
  const std::string refused =
      "{state: Failed, conditions: [{type: Validation, status: 'False', reason: ValidationFailed, "
      "message: m, observedGeneration: 1}]}";
  EXPECT_EQ(step_of(seen(refused).object), RequestStep::kRest);
  EXPECT_EQ(step_of(seen(refused, "", "generation: 2").object), RequestStep::kAccept);
}

TEST(RequestPlan, InterruptedRetryIsNoted) {
  const Plan made = plan(seen("{state: Pending, observedGeneration: 1}", "",
                              "generation: 1, annotations: {nvidia.com/retry: 'yes'}"));
  EXPECT_EQ(words(made).front(), "patch " + std::string(kSelf));
  EXPECT_THAT(words(made), Contains("create Job profile-r"));
  EXPECT_THAT(words(made), Not(Contains(event_for_self("RetryIgnored"))));
}

TEST(RequestPlan, RetryOfRunningRequestIsIgnoredOnce) {
  const std::string asked = "generation: 1, annotations: {nvidia.com/retry: 'yes'";
  ObservedState observed = seen("{state: Profiling, observedGeneration: 1}", "", asked + "}");
  observed.objects.add(object(job_yaml("")));
  EXPECT_THAT(words(plan(observed)),
              ElementsAre("patch " + std::string(kSelf), event_for_self("RetryIgnored")));
  ObservedState noted = seen("{state: Profiling, observedGeneration: 1}", "",
                             asked + ", nvidia.com/observed-retry: 'yes'}");
  noted.objects.add(object(job_yaml("")));
  EXPECT_THAT(words(plan(noted)), IsEmpty());
}

}  // namespace
}  // namespace dynamo::reconciler::request
