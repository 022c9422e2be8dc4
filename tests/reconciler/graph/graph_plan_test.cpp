// Plans for a DynamoGraphDeployment over successive reconciles.
#include "reconciler/graph/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "tests/reconciler/graph/plan_helpers.hpp"

namespace dynamo::reconciler::graph {
namespace {

using test::condition;
using test::kReadyStatus;
using test::message;
using test::status;
using test::words;
using test::writes;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::string yaml(std::string_view spec, std::string_view metadata = "",
                 std::string_view status = "") {
  std::string text =
      "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: g, "
      "namespace: "
      "ml, uid: u, generation: 4, resourceVersion: '5', finalizers: [nvidia.com/finalizer]" +
      std::string(metadata) + "}\nspec: {" + std::string(spec) + "}\n";
  if (!status.empty()) text += "status: " + std::string(status) + "\n";
  return text;
}

constexpr std::string_view kTwo =
    "services: {A: {componentType: worker}, B: {componentType: worker}}";

ObservedState small(std::string_view spec = kTwo, std::string_view metadata = "",
                    std::string_view status = "") {
  ObservedState observed = test::graph(yaml(spec, metadata, status));
  observed.environment.profile.discovery = render::DiscoveryBackend::kEtcd;
  return observed;
}

// A graph whose two components exist, with these statuses.
ObservedState standing(std::string_view spec = kTwo, std::string_view a = kReadyStatus,
                       std::string_view b = kReadyStatus, std::string_view status = "") {
  const Plan first = plan(small(spec, "", status));
  ObservedState observed = small(spec, "", status);
  observed.objects.add(test::made(first, "apply DynamoComponentDeployment g-a", "a", a));
  observed.objects.add(test::made(first, "apply DynamoComponentDeployment g-b", "b", b));
  return observed;
}

// The status that a plan writes, or "".
std::string written_status(const Plan& plan) {
  const Action* const write = test::find(plan, "patch DynamoGraphDeployment g status");
  if (write == nullptr) return "";
  const auto body = json::parse_copy(body_of(*write));
  return json::to_text(body->root()["status"]);
}

TEST(GraphPlan, ComponentIsCreatedForEachService) {
  const Plan made = plan(small());
  EXPECT_THAT(writes(made), ElementsAre("apply DynamoComponentDeployment g-a",
                                        "apply DynamoComponentDeployment g-b",
                                        "patch DynamoGraphDeployment g status"));
  EXPECT_EQ(status(made, "state"), R"("pending")");
  EXPECT_EQ(condition(made, "Ready"), "False some_resources_are_not_ready");
  EXPECT_EQ(message(made, "Ready"), "Not ready: g-a: is being made; g-b: is being made");
  EXPECT_EQ(made.outcome, PlanOutcome::kDone);
}

TEST(GraphPlan, GraphIsSuccessfulWhenAllComponentsAreAvailable) {
  const ObservedState observed = standing();
  const Plan next = plan(observed);
  EXPECT_THAT(words(next), ElementsAre("patch DynamoGraphDeployment g status"));
  EXPECT_EQ(status(next, "state"), R"("successful")");
  EXPECT_EQ(condition(next, "Ready"), "True all_resources_are_ready");
  EXPECT_EQ(status(next, "services"), R"({"A":{"componentKind":"Deployment","replicas":1},)"
                                      R"("B":{"componentKind":"Deployment","replicas":1}})");
  // With this status stored, nothing remains to be written.
  ObservedState after = standing(kTwo, kReadyStatus, kReadyStatus, written_status(next));
  EXPECT_THAT(words(plan(after)), IsEmpty());
}

TEST(GraphPlan, UnreadyComponentsAreNamedWithReason) {
  constexpr std::string_view kLate =
      R"({"observedGeneration":0,"conditions":[{"type":"Available","status":"True"}]})";
  constexpr std::string_view kNot =
      R"({"observedGeneration":1,"conditions":[{"type":"Available","status":"False",)"
      R"("reason":"DeploymentNotReady","message":"1 of 2"}]})";
  const Plan next = plan(standing(kTwo, kLate, kNot));
  EXPECT_EQ(
      message(next, "Ready"),
      "Not ready: g-a: is not yet observed by its own controller; g-b: DeploymentNotReady (1 of "
      "2)");
  EXPECT_EQ(status(next, "state"), R"("pending")");
}

TEST(GraphPlan, ChangedComponentIsNotReady) {
  ObservedState observed = standing();
  observed.object = test::object(
      yaml("services: {A: {componentType: worker, replicas: 3}, B: {componentType: worker}}"));
  const Plan next = plan(observed);
  EXPECT_THAT(writes(next), ElementsAre("apply DynamoComponentDeployment g-a",
                                        "patch DynamoGraphDeployment g status"));
  EXPECT_EQ(message(next, "Ready"), "Not ready: g-a: is being changed");
  const Action* const updated =
      test::find(next, "event UpdateDynamoComponentDeployment DynamoComponentDeployment g-a");
  ASSERT_NE(updated, nullptr);
  EXPECT_THAT(std::get<EmitEvent>(*updated).note, HasSubstr("replicas is 3 and was nothing"));
}

TEST(GraphPlan, RemovedServiceFieldsAreReported) {
  struct Row {
    std::string_view before;
    std::string_view after;
    std::string_view note;
  };
  constexpr Row kRows[] = {
      {"envs: [{name: KEY, value: secret}, {name: B, value: b}]", "envs: [{name: B, value: b}]",
       "envs[KEY] is gone"},
      {"extraPodMetadata: {labels: {team: blue}}", "extraPodMetadata: {labels: {}}",
       "extraPodMetadata.labels.team is gone"},
      {"extraPodSpec: {volumes: [{name: c, emptyDir: {}}], mainContainer: {image: a}}",
       "extraPodSpec: {mainContainer: {image: a}}", "extraPodSpec.volumes is gone"},
      {"extraPodSpec: {containers: [{name: side, image: a}, {name: other, image: a}]}",
       "extraPodSpec: {containers: [{name: other, image: a}]}",
       "extraPodSpec.containers[side] is gone"},
      {"extraPodSpec: {mainContainer: {args: [a, b]}}",
       "extraPodSpec: {mainContainer: {args: [a]}}", "extraPodSpec.mainContainer.args"},
      {"extraPodSpec: {mainContainer: {image: a, args: [a, b]}}",
       "extraPodSpec: {mainContainer: {image: a}}", "extraPodSpec.mainContainer.args is gone"},
      {"resources: {limits: {cpu: '1', memory: 1Gi}}", "resources: {limits: {memory: 1Gi}}",
       "resources.limits.cpu is gone"},
  };
  const auto spec = [](std::string_view more) {
    return "services: {A: {componentType: worker, " + std::string(more) +
           "}, B: {componentType: worker}}";
  };
  for (const Row& row : kRows) {
    ObservedState observed = standing(spec(row.before));
    observed.object = test::object(yaml(spec(row.after)));
    const Plan next = plan(observed);
    const Action* const event = test::find(next, "event ServiceChanged DynamoGraphDeployment g");
    ASSERT_NE(event, nullptr) << row.before;
    EXPECT_EQ(std::get<EmitEvent>(*event).note, "Service A: " + std::string(row.note));
  }
}

TEST(GraphPlan, ComponentOfRemovedServiceIsDeleted) {
  ObservedState observed = standing();
  observed.object = test::object(yaml("services: {A: {componentType: worker}}"));
  const Plan next = plan(observed);
  EXPECT_THAT(words(next), Contains("delete DynamoComponentDeployment g-b"));
  EXPECT_EQ(target_of(*test::find(next, "delete DynamoComponentDeployment g-b"))->uid, "b");
  EXPECT_EQ(status(next, "state"), R"("successful")");
}

TEST(GraphPlan, ClaimsAccountsAndForeignObjectsAreKept) {
  ObservedState observed = standing();
  for (const std::string_view kind : {"PersistentVolumeClaim", "ServiceAccount", "Role"}) {
    observed.objects.add(
        test::object("{kind: " + std::string(kind) +
                     ", metadata: {name: old, uid: o, ownerReferences: [{kind: "
                     "DynamoGraphDeployment, name: g, uid: u, controller: true}]}}"));
  }
  observed.objects.add(test::object(
      "{kind: DynamoComponentDeployment, metadata: {name: by-hand, uid: h}, spec: {}}"));
  EXPECT_THAT(words(plan(observed)), ElementsAre("patch DynamoGraphDeployment g status"));
}

TEST(GraphPlan, ServicesWithTheSameNameAreReported) {
  const Plan next =
      plan(small("services: {a: {componentType: worker}, A: {componentType: worker}}"));
  EXPECT_EQ(condition(next, "Ready"), "False name_is_taken");
  EXPECT_THAT(message(next, "Ready"), HasSubstr("DynamoComponentDeployment g-a must have a name"));
}

TEST(GraphPlan, NameCollisionIsReportedWithoutBlockingOthers) {
  ObservedState observed = small();
  observed.objects.add(
      test::object("{kind: DynamoComponentDeployment, metadata: {name: g-a, uid: h}, spec: {}}"));
  const Plan next = plan(observed);
  EXPECT_THAT(writes(next), ElementsAre("apply DynamoComponentDeployment g-b",
                                        "patch DynamoGraphDeployment g status"));
  EXPECT_EQ(condition(next, "Ready"), "False name_is_taken");
  EXPECT_THAT(message(next, "Ready"), HasSubstr("found an object without an owner"));
  EXPECT_EQ(status(next, "state"), R"("failed")");
  EXPECT_EQ(next.outcome, PlanOutcome::kWait);
}

struct MissingRow {
  std::string_view what;
  std::string_view spec;
  std::string_view message;
};

TEST(GraphPlan, MissingPrerequisiteIsNamedAndStopsThePlan) {
  constexpr MissingRow kRows[] = {
      {"a claim", "pvcs: [{name: c}], services: {A: {}}", "PersistentVolumeClaim c must exist"},
      {"a checkpoint",
       "services: {A: {componentType: worker, checkpoint: {enabled: true, checkpointRef: warm}}}",
       "spec.services[A].checkpoint.checkpointRef: must name a DynamoCheckpoint"},
      {"which checkpoint",
       "services: {A: {componentType: worker, scalingAdapter: {enabled: true}, checkpoint: "
       "{enabled: true}}}",
       "spec.services[A].checkpoint: must give a checkpointRef or an identity"},
  };
  for (const MissingRow& row : kRows) {
    const Plan next = plan(small(row.spec));
    EXPECT_EQ(condition(next, "Ready"), "False failed_to_reconcile_the_resources") << row.what;
    EXPECT_THAT(message(next, "Ready"), HasSubstr(row.message)) << row.what;
    EXPECT_THAT(writes(next), ElementsAre("patch DynamoGraphDeployment g status")) << row.what;
    EXPECT_EQ(status(next, "checkpoints"), "") << row.what;
    EXPECT_EQ(next.outcome, PlanOutcome::kWait) << row.what;
  }
}

TEST(GraphPlan, ClusterRoleOfAccountIsRequired) {
  ObservedState observed = small();
  observed.environment.namespace_restricted = false;
  observed.environment.planner_cluster_role = "planner";
  EXPECT_THAT(message(plan(observed), "Ready"), HasSubstr("ClusterRole planner must exist"));
  EXPECT_THAT(writes(plan(observed)), ElementsAre("patch DynamoGraphDeployment g status"));
  observed.objects.add(test::object("{kind: ClusterRole, metadata: {name: planner}}"));
  EXPECT_THAT(
      writes(plan(observed)),
      ElementsAre("create ServiceAccount planner-serviceaccount",
                  "create RoleBinding planner-serviceaccount-binding",
                  "apply DynamoComponentDeployment g-a", "apply DynamoComponentDeployment g-b",
                  "patch DynamoGraphDeployment g status"));
}

// Graphs share the binding, so it has no owner; a binding with a controller is foreign.
TEST(GraphPlan, DifferingBindingIsRecreatedUnlessForeign) {
  constexpr std::string_view kOther =
      "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: other}}";
  const std::string head =
      "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: "
      "planner-serviceaccount-binding, namespace: ml, uid: b";
  ObservedState observed = small();
  observed.environment.namespace_restricted = false;
  observed.environment.planner_cluster_role = "planner";
  observed.objects.add(test::object("{kind: ClusterRole, metadata: {name: planner}}"));
  ObservedState foreign = observed;
  observed.objects.add(test::object(head + "}, " + std::string(kOther)));
  const Plan next_plan = plan(observed);
  EXPECT_THAT(writes(next_plan), Contains("delete RoleBinding planner-serviceaccount-binding"));
  foreign.objects.add(test::object(
      head +
      ", ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: theirs, uid: zz, "
      "controller: true}]}, " +
      std::string(kOther)));
  const Plan next = plan(foreign);
  EXPECT_THAT(writes(next), Not(Contains(HasSubstr("RoleBinding"))));
  EXPECT_THAT(message(next, "Ready"),
              HasSubstr("RoleBinding planner-serviceaccount-binding must be free to be created; "
                        "found an object of Deployment theirs"));
}

constexpr std::string_view kMpiOnTwoNodes =
    "services: {A: {componentType: worker, multinode: {nodeCount: 2}, resources: {limits: {gpu: "
    "'1'}}, extraPodSpec: {mainContainer: {image: 'a:1', command: [python3], args: [-m, "
    "dynamo.trtllm]}}}}, backendFramework: trtllm";

ObservedState small_with_mpi() {
  ObservedState observed = small(kMpiOnTwoNodes);
  observed.environment.profile.pathway = render::Pathway::kLws;
  observed.environment.profile.mpi_secret_name = "keys";
  return observed;
}

kube::Object mpi_source() {
  return test::object(
      "{apiVersion: v1, kind: Secret, metadata: {name: keys, namespace: other}, type: Opaque, "
      "data: {a: Yg==}}");
}

TEST(GraphPlan, NeedsTheMpiSecretOnSeveralNodes) {
  ObservedState observed = small_with_mpi();
  EXPECT_THAT(message(plan(observed), "Ready"), HasSubstr("Secret keys must exist"));
  const kube::Object source = mpi_source();
  observed.environment.mpi_secret_source = source.root();
  const Plan copied = plan(observed);
  ASSERT_NE(test::find(copied, "create Secret keys"), nullptr);
  EXPECT_THAT(body_of(*test::find(copied, "create Secret keys")), Not(HasSubstr("labels")));
  EXPECT_THAT(words(copied), Not(Contains(HasSubstr("MpiKeyCreated"))));
}

TEST(GraphPlan, EmitsAnEventWithAGeneratedMpiSecret) {
  ObservedState observed = small_with_mpi();
  const kube::Object source = mpi_source();
  observed.environment.mpi_secret_source = source.root();
  observed.environment.mpi_secret_is_generated = true;
  const Plan generated = plan(observed);
  ASSERT_NE(test::find(generated, "create Secret keys"), nullptr);
  EXPECT_THAT(body_of(*test::find(generated, "create Secret keys")),
              HasSubstr(R"("app.kubernetes.io/managed-by":"dynamo-operator")"));
  EXPECT_THAT(words(generated), Contains(HasSubstr("MpiKeyCreated")));
}

TEST(GraphPlan, CreatesNoMpiSecretForOneNode) {
  ObservedState observed = small();
  observed.environment.profile.mpi_secret_name = "keys";
  const kube::Object source = mpi_source();
  observed.environment.mpi_secret_source = source.root();
  EXPECT_THAT(writes(plan(observed)), Not(Contains(HasSubstr("Secret"))));
  observed.environment.mpi_secret_source = {};
  EXPECT_THAT(message(plan(observed), "Ready"), Not(HasSubstr("Secret")));
}

// A failed step keeps the status of later steps unchanged.
TEST(GraphPlan, FailureKeepsKnownStatus) {
  constexpr std::string_view kKnown =
      "{services: {A: {replicas: 1}}, restart: {observedID: r, phase: Completed}, state: "
      "successful}";
  const Plan next = plan(small("services: {A: {multinode: {nodeCount: 2}}}", "", kKnown));
  EXPECT_THAT(message(next, "Ready"), HasSubstr("spec.services[A].multinode"));
  EXPECT_EQ(next.outcome, PlanOutcome::kRetry);
  EXPECT_EQ(status(next, "state"), R"("failed")");
  EXPECT_EQ(status(next, "services"), "");
  EXPECT_EQ(status(next, "restart"), "");
  const Plan failed = plan_after_failure(small(kTwo, "", kKnown), "quota exceeded");
  EXPECT_EQ(message(failed, "Ready"), "quota exceeded");
  EXPECT_EQ(status(failed, "services"), "");
  EXPECT_EQ(failed.outcome, PlanOutcome::kRetry);
}

TEST(GraphPlan, DeletionRemovesTheFinalizer) {
  const Plan last = plan(small(kTwo, ", deletionTimestamp: '2026-01-01T00:00:00Z'"));
  EXPECT_THAT(words(last), ElementsAre("jsonPatch DynamoGraphDeployment g"));
}

TEST(GraphPlan, ReplicaCountOfAdapterIsNotOverwritten) {
  constexpr std::string_view kSpec =
      "services: {A: {componentType: worker, replicas: 1, scalingAdapter: {enabled: true}}}";
  const Plan first = plan(small(kSpec));
  ObservedState observed = small(kSpec);
  std::string text =
      json::to_text(test::made(first, "apply DynamoGraphDeploymentScalingAdapter g-a", "s").root());
  const std::string_view before = R"("replicas":1)";
  text.replace(text.find(before), before.size(), R"("replicas":9)");
  observed.objects.add(*kube::Object::parse(text));
  EXPECT_THAT(writes(plan(observed)),
              Not(Contains(StartsWith("apply DynamoGraphDeploymentScalingAdapter"))));
  // Other fields of the adapter are restored.
  const std::string_view label = R"("nvidia.com/dynamo-component":"A")";
  text.replace(text.find(label), label.size(), R"("nvidia.com/dynamo-component":"Z")");
  observed.objects.add(*kube::Object::parse(text));
  const Plan next = plan(observed);
  const Action* const patch = test::find(next, "patch DynamoGraphDeploymentScalingAdapter g-a");
  ASSERT_NE(patch, nullptr);
  // So that after a conflict the reconcile waits for a newer version.
  const std::string version(kube::Object::parse(text)->resource_version());
  EXPECT_EQ(target_of(*patch)->resource_version, version);
  EXPECT_THAT(body_of(*patch), HasSubstr(R"("resourceVersion":")" + version + '"'));
}

// --- Restarts.

std::string with_mark(const kube::Object& component, std::string_view id) {
  std::string text = json::to_text(component.root());
  const std::size_t at = text.find(R"("spec":{)");
  return text.insert(at + 8,
                     R"("annotations":{"nvidia.com/restartAt":")" + std::string(id) + "\"},");
}

TEST(GraphPlan, SequentialRestartProceedsServiceByService) {
  constexpr std::string_view kSpec =
      "restart: {id: r1}, services: {A: {componentType: worker}, B: {componentType: worker}}";
  ObservedState observed = standing();
  observed.object = test::object(yaml(kSpec));
  const Plan begun = plan(observed);
  EXPECT_THAT(writes(begun), ElementsAre("apply DynamoComponentDeployment g-a",
                                         "patch DynamoGraphDeployment g status"));
  EXPECT_EQ(status(begun, "restart"),
            R"({"observedID":"r1","phase":"Restarting","inProgress":["A"]})");
  observed.object = test::object(
      yaml(kSpec, "", "{restart: {observedID: r1, phase: Restarting, inProgress: [A]}}"));
  observed.objects.add(*kube::Object::parse(
      with_mark(*observed.objects.find("DynamoComponentDeployment", "g-a"), "r1")));
  const Plan next = plan(observed);
  EXPECT_EQ(status(next, "restart"), R"({"inProgress":["B"]})");
  EXPECT_THAT(writes(next), Contains("apply DynamoComponentDeployment g-b"));
}

TEST(GraphPlan, ParallelRestartEndsWhenAllServicesAreReady) {
  constexpr std::string_view kSpec =
      "restart: {id: r2, strategy: {type: Parallel}}, services: {A: {componentType: worker}, B: "
      "{componentType: worker}}";
  ObservedState observed = standing();
  observed.object = test::object(yaml(kSpec));
  const Plan begun = plan(observed);
  EXPECT_THAT(writes(begun), ElementsAre("apply DynamoComponentDeployment g-a",
                                         "apply DynamoComponentDeployment g-b",
                                         "patch DynamoGraphDeployment g status"));
  EXPECT_EQ(status(begun, "restart"),
            R"({"observedID":"r2","phase":"Restarting","inProgress":["A","B"]})");
  observed.object = test::object(
      yaml(kSpec, "", "{restart: {observedID: r2, phase: Restarting, inProgress: [A, B]}}"));
  for (const std::string_view name : {"g-a", "g-b"}) {
    observed.objects.add(*kube::Object::parse(
        with_mark(*observed.objects.find("DynamoComponentDeployment", name), "r2")));
  }
  EXPECT_EQ(status(plan(observed), "restart"), R"({"phase":"Completed","inProgress":null})");
}

TEST(GraphPlan, WithdrawnRestartKeepsTheMark) {
  ObservedState observed = standing();
  observed.objects.add(*kube::Object::parse(
      with_mark(*observed.objects.find("DynamoComponentDeployment", "g-a"), "r1")));
  const Plan next = plan(observed);
  const Action* const apply = test::find(next, "apply DynamoComponentDeployment g-a");
  // The hash changes with the mark, and the mark stays.
  if (apply != nullptr) {
    EXPECT_THAT(body_of(*apply), HasSubstr(R"("nvidia.com/restartAt":"r1")"));
  }
}

std::string refused_before(int generation, const std::string& words) {
  return "{state: failed, conditions: [{type: Ready, status: 'False', reason: ValidationFailed, "
         "message: '" +
         words + "', observedGeneration: " + std::to_string(generation) +
         ", lastTransitionTime: '2025-01-01T00:00:00Z'}]}";
}

TEST(GraphPlan, ValidationEventsAreEmittedOncePerGeneration) {
  const std::string failed = "event ValidationFailed DynamoGraphDeployment g";
  ObservedState observed = small(kTwo, "", refused_before(3, "it is wrong"));
  observed.errors = {"it is wrong"};
  EXPECT_THAT(words(plan(observed)), Contains(failed)) << "of another generation";
  EXPECT_EQ(std::get<EmitEvent>(plan(observed).actions.front()).occasion,
            occasion_of_generation("graph", 4))
      << "the next leader's is the same";
  observed = small(kTwo, "", refused_before(4, "it was called otherwise"));
  observed.errors = {"it is wrong"};
  EXPECT_THAT(words(plan(observed)), ElementsAre("patch DynamoGraphDeployment g status"));
  const std::string passed = "event ValidationPassed DynamoGraphDeployment g";
  EXPECT_THAT(words(plan(small(kTwo, "", refused_before(3, "it is wrong")))), Contains(passed));
  EXPECT_THAT(words(plan(small())), Not(Contains(passed)));
}

}  // namespace
}  // namespace dynamo::reconciler::graph
