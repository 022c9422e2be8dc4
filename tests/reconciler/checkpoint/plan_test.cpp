#include "reconciler/checkpoint/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "json/writer.hpp"
#include "tests/reconciler/action_lines.hpp"
#include "tests/reconciler/random_objects.hpp"

namespace dynamo::reconciler::checkpoint {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// 2026-02-03T04:05:06Z
const auto kNow = std::chrono::system_clock::from_time_t(1'770'091'506);
const std::string kIdentity = R"({"model":"meta-llama/Llama-2-7b-hf","backendFramework":"vllm"})";
const std::string kHash = "96429b2725761a09";
const std::string kLabel = R"("labels":{"nvidia.com/checkpoint-hash":"96429b2725761a09"})";
const std::string kEventOfSelf = " on DynamoCheckpoint/warm";

kube::Object parse(const std::string& json) {
  return kube::Object::parse(json).value();
}

std::string pod_of(const std::string& containers = R"([{"name":"main","image":"i"}])") {
  return R"({"podTemplateSpec":{"spec":{"containers":)" + containers + "}}}";
}

struct Checkpoint {
  std::string phase = "Pending";
  std::string status = {};  // further members, each preceded by a comma
  std::string metadata = kLabel;
  std::string name = "warm";
  std::string job = pod_of();
  std::string identity = kIdentity;
  std::int64_t generation = 3;

  kube::Object object() const {
    std::string text = R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoCheckpoint",)"
                       R"("metadata":{"namespace":"team-a","uid":"u-)" +
                       name + R"(","resourceVersion":"7","name":")" + name + "\"";
    if (generation != 0) text += R"(,"generation":)" + std::to_string(generation);
    if (!metadata.empty()) text += "," + metadata;
    text += R"(},"spec":{"identity":)" + identity + R"(,"job":)" + job + R"(},"status":{)";
    if (!phase.empty()) {
      text += R"("phase":")" + phase + R"(","identityHash":")" + kHash + "\"" + status;
    }
    return parse(text + "}}");
  }
};

ObservedState state_of(const Checkpoint& checkpoint) {
  ObservedState observed;
  observed.object = checkpoint.object();
  observed.environment.profile = render::default_operator_profile();
  observed.now = kNow;
  return observed;
}

const std::string kOwner =
    R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoCheckpoint","name":"warm","uid":"u-warm",)"
    R"("controller":true})";

kube::Object job(const std::string& status, const std::string& owner = kOwner,
                 const std::string& metadata = "") {
  return parse(R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"checkpoint-warm",)"
               R"("namespace":"team-a","uid":"u-job","ownerReferences":[)" +
               owner + "]" + metadata + R"(},"status":)" + status + "}");
}

const std::string kJobFailed =
    R"({"conditions":[{"type":"Failed","status":"True","reason":"BackoffLimitExceeded"}]})";

Checkpoint creating(const std::string& more = "") {
  return {.phase = "Creating",
          .status = R"(,"jobName":"checkpoint-warm","conditions":[{"type":"JobCreated",)"
                    R"("status":"True","observedGeneration":3,"reason":"JobCreated",)"
                    R"("lastTransitionTime":"2026-01-01T00:00:00Z","message":"m"}])" +
                    more};
}

Checkpoint failed(std::int64_t of_generation = 3) {
  return {.phase = "Failed",
          .status = R"(,"jobName":"checkpoint-warm","message":"it failed","conditions":[)"
                    R"({"type":"JobCreated","status":"True","observedGeneration":3,)"
                    R"("lastTransitionTime":"2026-01-01T00:00:00Z","reason":"JobCreated",)"
                    R"("message":"m"},{"type":"JobCompleted","status":"False",)" +
                    (of_generation == 0
                         ? std::string()
                         : R"("observedGeneration":)" + std::to_string(of_generation) + ",") +
                    R"("lastTransitionTime":"2026-01-01T00:00:00Z","reason":"JobFailed",)"
                    R"("message":"it failed"}])"};
}

Plan plan_with_job(const Checkpoint& checkpoint, const kube::Object& seen) {
  ObservedState observed = state_of(checkpoint);
  observed.objects.add(seen);
  return plan(observed);
}

// Like lines_of(), without bodies.
std::vector<std::string> words(const Plan& made) {
  std::vector<std::string> all;
  for (const std::string& line : test::lines_of(made.actions)) {
    all.push_back(line.substr(0, line.find(" {")));
  }
  return all;
}

// The changed members of the status.
std::string status_in(const Plan& made) {
  for (const Action& each : made.actions) {
    if (subresource_of(each) != "status") continue;
    return json::to_text(parse(std::string(body_of(each))).root()["status"]);
  }
  return {};
}

const std::string kStatusPatch = "patch DynamoCheckpoint/warm status";

TEST(CheckpointPlan, NewCheckpointGetsHashAndLabel) {
  const Plan made = plan(state_of({.phase = "", .metadata = ""}));
  EXPECT_THAT(test::lines_of(made.actions),
              ElementsAre(R"(patch DynamoCheckpoint/warm {"metadata":{"uid":"u-warm",)"
                          R"("resourceVersion":"7",)" +
                              kLabel + "}}",
                          HasSubstr(R"("status":{"phase":"Pending","identityHash":")" + kHash)));
  EXPECT_EQ(made.outcome, PlanOutcome::kDone);
}

TEST(CheckpointPlan, UserLabelIsReplacedByTheHash) {
  const Plan made = plan(state_of(
      {.phase = "Ready", .metadata = R"("labels":{"nvidia.com/checkpoint-hash":"mine","a":"b"})"}));
  EXPECT_THAT(words(made), ElementsAre("patch DynamoCheckpoint/warm"));
}

TEST(CheckpointPlan, InvalidHashInStatusIsReplaced) {
  ObservedState observed = state_of({});
  observed.object = parse(
      R"({"metadata":{"name":"warm","namespace":"team-a","uid":"u-warm"},"spec":{"identity":)" +
      kIdentity + R"(},"status":{"phase":"Pending","identityHash":"../$HOME"
}
})");
  EXPECT_THAT(status_in(plan(observed)), HasSubstr(kHash));
}

TEST(CheckpointPlan, UnknownPhaseBecomesPending) {
  EXPECT_EQ(status_in(plan(state_of({.phase = "Restoring"}))), R"({"phase":"Pending"})");
}

TEST(CheckpointPlan, PendingCheckpointGetsItsJobOnce) {
  const Plan made = plan(state_of({}));
  EXPECT_THAT(words(made), ElementsAre("create Job/checkpoint-warm",
                                       "Normal CreateJob on Job/checkpoint-warm", kStatusPatch));
  EXPECT_THAT(
      status_in(made),
      AllOf(HasSubstr(R"("phase":"Creating","jobName":"checkpoint-warm")"),
            HasSubstr(R"("type":"JobCreated","status":"True","observedGeneration":3,)"
                      R"("lastTransitionTime":"2026-02-03T04:05:06Z","reason":"JobCreated")")));
}

TEST(CheckpointPlan, JobOfAnInterruptedReconcileIsAdopted) {
  const Plan made = plan_with_job({}, job("{}"));
  EXPECT_THAT(words(made), ElementsAre(kStatusPatch));
  EXPECT_THAT(status_in(made), HasSubstr(R"("phase":"Creating")"));
}

TEST(CheckpointPlan, JobInDeletionIsAwaited) {
  const Plan made =
      plan_with_job({}, job("{}", kOwner, R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")"));
  EXPECT_THAT(made.actions, IsEmpty());
}

TEST(CheckpointPlan, ObjectWithoutGenerationGetsNoObservedGeneration) {
  EXPECT_THAT(status_in(plan(state_of({.generation = 0}))), Not(HasSubstr("observedGeneration")));
}

TEST(CheckpointPlan, RunningJobCausesNoWrites) {
  EXPECT_THAT(plan_with_job(creating(), job(R"({"active":1})")).actions, IsEmpty());
}

TEST(CheckpointPlan, JobWithoutPodIsReportedAfterAMinute) {
  const auto created_at = [](const std::string& time) {
    return job("{}", kOwner, R"(,"creationTimestamp":"2026-02-03T)" + time + R"(Z")");
  };
  const Plan early = plan_with_job(creating(), created_at("04:05:00"));
  EXPECT_THAT(words(early), IsEmpty());
  EXPECT_EQ(early.outcome, PlanOutcome::kWait);
  const Plan late = plan_with_job(creating(), created_at("04:04:00"));
  EXPECT_THAT(words(late), ElementsAre(kStatusPatch, "Warning JobWithoutPod" + kEventOfSelf));
  EXPECT_THAT(status_in(late), HasSubstr("kubectl describe job checkpoint-warm"));
  EXPECT_EQ(late.outcome, PlanOutcome::kWait);
}

TEST(CheckpointPlan, MessageEndsWhenTheJobGetsAPod) {
  const Plan made = plan_with_job(
      creating(R"(,"message":"no pod")"),
      job(R"({"active":1})", kOwner, R"(,"creationTimestamp":"2026-02-03T04:00:00Z")"));
  EXPECT_THAT(words(made), ElementsAre(kStatusPatch));
  EXPECT_EQ(status_in(made), R"({"message":null})");
}

TEST(CheckpointPlan, SucceededJobMakesCheckpointReady) {
  const Plan made = plan_with_job(creating(), job(R"({"succeeded":1})"));
  EXPECT_THAT(words(made), ElementsAre(kStatusPatch, "Normal CheckpointReady" + kEventOfSelf));
  EXPECT_THAT(
      status_in(made),
      AllOf(HasSubstr(R"("phase":"Ready")"), HasSubstr(R"("location":"/checkpoints/)" + kHash),
            HasSubstr(R"("storageType":"pvc")"), HasSubstr(R"("createdAt":"2026-02-03T04:05:06Z")"),
            HasSubstr(R"("TarAvailable")")));
}

TEST(CheckpointPlan, LocationFollowsTheStorageType) {
  const struct {
    render::CheckpointStorage storage;
    std::string location;
    std::string type;
  } rows[] = {{render::CheckpointStorage::kS3, "s3://b/c/" + kHash + ".tar", "s3"},
              {render::CheckpointStorage::kOci, "s3://b/c:" + kHash, "oci"}};
  for (const auto& row : rows) {
    ObservedState observed = state_of(creating());
    observed.environment.profile.checkpoint_storage = row.storage;
    observed.environment.profile.checkpoint_uri = "s3://b/c";
    observed.objects.add(job(R"({"succeeded":1})"));
    EXPECT_THAT(status_in(plan(observed)),
                AllOf(HasSubstr(R"("location":")" + row.location + "\""),
                      HasSubstr(R"("storageType":")" + row.type + "\"")));
  }
}

TEST(CheckpointPlan, ReadyIsFinal) {
  EXPECT_THAT(plan(state_of({.phase = "Ready"})).actions, IsEmpty());
  EXPECT_THAT(plan_with_job({.phase = "Ready"}, job(kJobFailed)).actions, IsEmpty());
}

TEST(CheckpointPlan, SuccessWinsOverFailedCondition) {
  const std::string both = R"({"succeeded":1,)" + kJobFailed.substr(1);
  EXPECT_THAT(status_in(plan_with_job(creating(), job(both))), HasSubstr(R"("phase":"Ready")"));
}

TEST(CheckpointPlan, DeletedJobIsCreatedAgain) {
  const Plan made = plan(state_of(creating()));
  EXPECT_THAT(words(made), ElementsAre(kStatusPatch));
  EXPECT_THAT(status_in(made),
              AllOf(HasSubstr(R"("phase":"Pending")"), HasSubstr(R"("jobName":null)"),
                    HasSubstr(R"("status":"False")"), HasSubstr(R"("reason":"JobDeleted")")));
}

TEST(CheckpointPlan, IgnoredEditIsReportedOncePerGeneration) {
  for (const char* const phase : {"Creating", "Ready"}) {
    SCOPED_TRACE(phase);
    Checkpoint edited = creating();
    edited.phase = phase;
    edited.generation = 4;
    ObservedState observed = state_of(edited);
    observed.objects.add(job(R"({"active":1})"));
    const Plan made = plan(observed);
    EXPECT_THAT(words(made), ElementsAre("Warning SpecChangeIgnored" + kEventOfSelf));
    const auto& event = std::get<EmitEvent>(made.actions.at(0));
    EXPECT_EQ(event.occasion, occasion_of_generation("checkpoint", 4));
    EXPECT_THAT(event.note, HasSubstr("found generation 4 in phase " + std::string(phase) +
                                      ", and generation 3 is in use"));
    observed.reported_generation = 4;
    EXPECT_THAT(plan(observed).actions, IsEmpty());
  }
}

TEST(CheckpointPlan, EditIsReportedWhenTheJobSucceeds) {
  Checkpoint edited = creating();
  edited.generation = 4;
  EXPECT_THAT(words(plan_with_job(edited, job(R"({"succeeded":1})"))),
              ElementsAre(kStatusPatch, "Normal CheckpointReady" + kEventOfSelf,
                          "Warning SpecChangeIgnored" + kEventOfSelf));
}

TEST(CheckpointPlan, EditIsUsedWhenTheJobIsDeleted) {
  Checkpoint edited = creating();
  edited.generation = 4;
  EXPECT_THAT(words(plan(state_of(edited))), ElementsAre(kStatusPatch));
}

// Q36.
TEST(CheckpointPlan, FailureIsReportedOncePerTransition) {
  const Plan made = plan_with_job(creating(), job(kJobFailed));
  EXPECT_THAT(words(made), ElementsAre(kStatusPatch, "Warning CheckpointFailed" + kEventOfSelf));
  EXPECT_THAT(status_in(made),
              AllOf(HasSubstr(R"("phase":"Failed")"), HasSubstr(R"("reason":"JobFailed")"),
                    HasSubstr("BackoffLimitExceeded")));
  EXPECT_THAT(plan_with_job(failed(), job(kJobFailed)).actions, IsEmpty());
}

// Q19.
TEST(CheckpointPlan, FailedCheckpointStaysFailedWithoutItsJob) {
  EXPECT_THAT(plan(state_of(failed())).actions, IsEmpty());
}

TEST(CheckpointPlan, LateSuccessRecoversFailedCheckpoint) {
  const Plan made = plan_with_job(failed(), job(R"({"succeeded":1})"));
  EXPECT_THAT(words(made), ElementsAre(kStatusPatch, "Normal CheckpointReady" + kEventOfSelf));
  EXPECT_THAT(status_in(made),
              AllOf(HasSubstr(R"("phase":"Ready")"), HasSubstr(R"("message":null)")));
}

TEST(CheckpointPlan, SpecChangeRetriesFailedCheckpoint) {
  const Plan made = plan_with_job(failed(2), job(kJobFailed));
  EXPECT_THAT(words(made), ElementsAre("delete Job/checkpoint-warm", kStatusPatch,
                                       "Normal Retrying" + kEventOfSelf));
  EXPECT_THAT(status_in(made),
              AllOf(HasSubstr(R"("phase":"Pending")"), HasSubstr(R"("reason":"Retrying")"),
                    Not(HasSubstr("JobCompleted"))));
}

TEST(CheckpointPlan, NewRetryAnnotationRetriesFailedCheckpoint) {
  Checkpoint asked = failed();
  asked.metadata += R"(,"annotations":{"nvidia.com/retry":"2","nvidia.com/observed-retry":"1"})";
  EXPECT_THAT(words(plan(state_of(asked))),
              ElementsAre(kStatusPatch, "Normal Retrying" + kEventOfSelf));
  asked.metadata =
      kLabel + R"(,"annotations":{"nvidia.com/retry":"2",)" + R"("nvidia.com/observed-retry":"2"})";
  EXPECT_THAT(plan(state_of(asked)).actions, IsEmpty());
}

TEST(CheckpointPlan, AttemptRecordsItsRetryAnnotation) {
  const Plan made =
      plan(state_of({.metadata = kLabel + R"(,"annotations":{"nvidia.com/retry":"2"})"}));
  EXPECT_THAT(test::lines_of(made.actions).at(0),
              HasSubstr(R"("annotations":{"nvidia.com/observed-retry":"2"})"));
}

// As the Go operator leaves it.
TEST(CheckpointPlan, FailureWithoutGenerationGetsThePresentOne) {
  const Plan made = plan(state_of(failed(0)));
  EXPECT_THAT(words(made), ElementsAre(kStatusPatch));
  EXPECT_THAT(status_in(made),
              HasSubstr(R"("type":"JobCompleted","status":"False","observedGeneration":3)"));
}

TEST(CheckpointPlan, TerminatingCheckpointIsLeftAlone) {
  EXPECT_THAT(
      plan(state_of({.phase = "", .metadata = R"("deletionTimestamp":"2026-01-01T00:00:00Z")"}))
          .actions,
      IsEmpty());
}

// The obstacle's reason is that of the condition and of one Warning event.
void expect_obstacle(const ObservedState& observed, const std::string& reason,
                     const std::string& message, PlanOutcome outcome) {
  SCOPED_TRACE(reason);
  const Plan made = plan(observed);
  EXPECT_THAT(words(made), ElementsAre(kStatusPatch, "Warning " + reason + kEventOfSelf));
  EXPECT_THAT(status_in(made), HasSubstr(R"("reason":")" + reason + "\""));
  EXPECT_THAT(made.why, HasSubstr(message));
  EXPECT_EQ(made.outcome, outcome);
}

TEST(CheckpointPlan, JobOfAnotherOwnerIsReported) {
  ObservedState observed = state_of({});
  observed.objects.add(job("{}", ""));
  expect_obstacle(observed, "NameTaken", "must be free to be created", PlanOutcome::kWait);
}

TEST(CheckpointPlan, JobOfAnEarlierCheckpointIsAwaited) {
  ObservedState observed = state_of({});
  std::string owner = kOwner;
  owner.replace(owner.find("u-warm"), 6, "u-past");
  observed.objects.add(job("{}", owner));
  expect_obstacle(observed, "WaitingForDeletion", "belongs to an earlier", PlanOutcome::kWait);
}

TEST(CheckpointPlan, CheckpointWithoutContainersIsReported) {
  expect_obstacle(state_of({.job = pod_of("[]")}), "JobRefused",
                  "spec.job.podTemplateSpec.spec.containers: must have a container",
                  PlanOutcome::kRefused);
}

TEST(CheckpointPlan, StorageWithoutUriIsReported) {
  ObservedState observed = state_of({});
  observed.environment.profile.checkpoint_storage = render::CheckpointStorage::kS3;
  observed.environment.profile.checkpoint_uri = "";
  expect_obstacle(observed, "JobRefused", "--checkpoint-s3-uri", PlanOutcome::kRefused);
}

TEST(CheckpointPlan, TooLongNameIsReported) {
  const Plan made = plan(state_of({.name = std::string(53, 'a')}));
  EXPECT_THAT(status_in(made), HasSubstr(R"("reason":"NameTooLong")"));
  EXPECT_THAT(made.why, HasSubstr("at most 52 characters"));
  EXPECT_THAT(words(plan(state_of({.name = std::string(52, 'a')}))).at(0),
              HasSubstr("create Job/checkpoint-aaa"));
}

TEST(CheckpointPlan, HashOfAnotherIdentityIsReported) {
  const Checkpoint other = {
      .phase = "Ready", .name = "zz", .identity = R"({"model":"other","backendFramework":"vllm"})"};
  ObservedState observed = state_of({.metadata = ""});
  observed.same_hash = {other.object()};
  expect_obstacle(observed, "HashCollision", "DynamoCheckpoint \"zz\"", PlanOutcome::kWait);
  observed.same_hash = {Checkpoint{.phase = "Ready", .name = "zz"}.object()};
  EXPECT_THAT(words(plan(observed)).at(1), "create Job/checkpoint-warm") << "the same identity";
}

TEST(CheckpointPlan, BrokenRulesAreReportedOncePerGeneration) {
  ObservedState observed = state_of({});
  observed.errors = {"spec.job: must be fine", "spec: too"};
  const Plan made = plan(observed);
  EXPECT_THAT(words(made), ElementsAre(kStatusPatch, "Warning ValidationFailed" + kEventOfSelf));
  EXPECT_THAT(status_in(made),
              AllOf(HasSubstr(R"("type":"Valid","status":"False","observedGeneration":3)"),
                    HasSubstr("spec.job: must be fine; spec: too")));
  EXPECT_EQ(made.outcome, PlanOutcome::kRefused);
  observed.object =
      Checkpoint{.status =
                     R"(,"message":"spec.job: must be fine; spec: too","conditions":[{)"
                     R"("type":"Valid","status":"False","observedGeneration":3,)"
                     R"("lastTransitionTime":"2026-01-01T00:00:00Z","reason":"ValidationFailed",)"
                     R"("message":"spec.job: must be fine; spec: too"}])"}
          .object();
  EXPECT_THAT(plan(observed).actions, IsEmpty());
  observed.errors.clear();
  EXPECT_THAT(words(plan(observed)),
              ElementsAre("create Job/checkpoint-warm", "Normal CreateJob on Job/checkpoint-warm",
                          kStatusPatch, "Normal ValidationPassed" + kEventOfSelf));
}

TEST(CheckpointPlan, RefusedJobIsReportedAndRetried) {
  const Plan after = plan_after_failure(state_of({}), "exceeded quota");
  EXPECT_THAT(words(after), ElementsAre(kStatusPatch, "Warning JobCreationFailed" + kEventOfSelf));
  EXPECT_THAT(status_in(after), HasSubstr("exceeded quota"));
  EXPECT_EQ(after.outcome, PlanOutcome::kRetry);
  EXPECT_THAT(plan_after_failure(state_of({}), R"(jobs "checkpoint-warm" already exists)").actions,
              IsEmpty());
  EXPECT_THAT(plan_after_failure(state_of(creating()), "timeout").actions, IsEmpty());
}

TEST(CheckpointPlan, RandomObjectsNeverThrow) {
  for (std::uint64_t seed = 0; seed < 2'000; ++seed) {
    test::RandomObjects random(seed);
    ObservedState observed = state_of({});
    const std::string status =
        random.object({"phase", "identityHash", "jobName", "conditions", "message", "createdAt"});
    const std::string phase = random.one_of({"Pending", "Creating", "Failed", "Ready", "other"});
    observed.object =
        parse(R"({"metadata":{"name":"warm","namespace":"team-a","uid":"u-warm","labels":)" +
              random.json() + R"(,"annotations":)" + random.json() + R"(},"spec":)" +
              random.object({"identity", "job"}) + R"(,"status":)" +
              (random.coin() ? status
                             : R"({"identityHash":"abc","phase":")" + phase + R"(","conditions":)" +
                                   random.json() + "}") +
              "}");
    if (random.coin()) observed.objects.add(job(random.object({"succeeded", "conditions"})));
    SCOPED_TRACE(seed);
    EXPECT_NO_THROW(plan(observed));
    EXPECT_NO_THROW(plan_after_failure(observed, "it failed"));
  }
}

}  // namespace
}  // namespace dynamo::reconciler::checkpoint
