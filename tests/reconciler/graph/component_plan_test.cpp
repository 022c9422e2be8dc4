// Plans for a DynamoComponentDeployment over successive reconciles.
#include "reconciler/component/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "json/parser.hpp"
#include "json/writer.hpp"

#include "tests/reconciler/graph/plan_helpers.hpp"

namespace dynamo::reconciler::component {
namespace {

using test::condition;
using test::message;
using test::words;
using test::writes;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view kFinalizers = ", finalizers: [nvidia.com/finalizer]";

std::string yaml(std::string_view spec, std::string_view metadata = kFinalizers) {
  return "apiVersion: nvidia.com/v1alpha1\nkind: DynamoComponentDeployment\nmetadata: {name: w, "
         "namespace: ml, uid: u, generation: 3, resourceVersion: '5'" +
         std::string(metadata) + "}\nspec: {dynamoNamespace: x, serviceName: W" +
         (spec.empty() ? "" : ", ") + std::string(spec) + "}\n";
}

constexpr std::string_view kReadyStatus =
    R"({"observedGeneration":1,"replicas":1,"updatedReplicas":1,"readyReplicas":1,)"
    R"("availableReplicas":1,"conditions":[{"type":"Available","status":"True"}]})";

// A component with etcd discovery: a Deployment and one Service.
ObservedState small(std::string_view spec = "componentType: worker",
                    std::string_view metadata = kFinalizers) {
  ObservedState observed = test::component(yaml(spec, metadata));
  observed.environment.profile.discovery = render::DiscoveryBackend::kEtcd;
  return observed;
}

// The same component with its owned objects as stored by the API server.
ObservedState standing(std::string_view spec = "componentType: worker",
                       std::string_view deployment_status = kReadyStatus) {
  const Plan first = plan(small(spec));
  ObservedState observed = small(spec);
  observed.objects.add(test::made(first, "apply Deployment w", "d", deployment_status));
  observed.objects.add(test::made(first, "apply Service w", "s"));
  return observed;
}

TEST(ComponentPlan, OwnedObjectsAreAppliedBeforeEventsAndStatus) {
  const Plan made = plan(small("componentType: worker", ""));
  EXPECT_THAT(words(made), ElementsAre("jsonPatch DynamoComponentDeployment w",
                                       "apply Deployment w", "event CreateDeployment Deployment w",
                                       "apply Service w", "event CreateService Service w",
                                       "patch DynamoComponentDeployment w status"));
  EXPECT_EQ(made.outcome, PlanOutcome::kDone);
  EXPECT_EQ(condition(made, "Valid"), "True ValidationPassed");
  EXPECT_EQ(condition(made, "Available"), "False DeploymentNotReady");
  EXPECT_EQ(condition(made, "DynamoComponentReady"), "False ComponentNotReady");
  EXPECT_EQ(test::status(made, "observedGeneration"), "3");
}

TEST(ComponentPlan, PlanIsEmptyWhenUpToDate) {
  ObservedState observed = standing();
  const Plan second = plan(observed);
  EXPECT_THAT(words(second), ElementsAre("patch DynamoComponentDeployment w status"));
  EXPECT_EQ(condition(second, "Available"), "True DeploymentReady");
  const Action* const write = test::find(second, "patch DynamoComponentDeployment w status");
  const auto body = json::parse_copy(body_of(*write));
  std::string updated = yaml("componentType: worker");
  updated += "status: " + json::to_text(body->root()["status"]) + "\n";
  observed.object = test::object(updated);
  EXPECT_THAT(words(plan(observed)), IsEmpty());
}

TEST(ComponentPlan, OwnedObjectIsAppliedOnlyIfItDiffers) {
  struct Row {
    std::string_view what;
    std::string_view kind;
    std::string_view before;
    std::string_view after;
    bool written;
  };
  constexpr Row kRows[] = {
      {"somebody's own field", "Deployment w", R"("strategy":)",
       R"("revisionHistoryLimit":10,"strategy":)", false},
      {"a label of ours", "Service w", R"("nvidia.com/dynamo-component-type":"worker")",
       R"("nvidia.com/dynamo-component-type":"other")", true},
      {"the hash", "Deployment w", R"(last-applied-hash":")", R"(last-applied-hash":"x)", true},
  };
  for (const Row& row : kRows) {
    ObservedState observed = standing();
    const std::string kind(row.kind.substr(0, row.kind.find(' ')));
    std::string text = json::to_text(observed.objects.find(kind, "w")->root());
    const std::size_t at = text.find(row.before);
    ASSERT_NE(at, std::string::npos) << row.what << text;
    text.replace(at, row.before.size(), row.after);
    observed.objects.add(*kube::Object::parse(text));
    const std::string apply = "apply " + std::string(row.kind);
    const Plan next = plan(observed);
    if (!row.written) {
      EXPECT_THAT(words(next), Not(Contains(apply))) << row.what;
      continue;
    }
    EXPECT_THAT(words(next), Contains(apply)) << row.what;
    // Applied to the observed object, and to no other of its name.
    EXPECT_THAT(body_of(*test::find(next, apply)), HasSubstr(R"("uid":")")) << row.what;
    EXPECT_THAT(words(next), Contains("event Update" + kind + " " + std::string(row.kind)));
  }
}

std::string replaced(std::string text, std::string_view before, std::string_view after) {
  const std::size_t at = text.find(before);
  if (at == std::string::npos) throw std::runtime_error("must hold " + std::string(before));
  return text.replace(at, before.size(), after);
}

// The API server normalizes some values and webhooks change others: only an unrecorded generation
// indicates a change.
// An apply would be merged into two ports of one name, which the API server refuses.
TEST(ComponentPlan, PortRenumberedByOthersIsReplaced) {
  struct Row {
    std::string_view kind;
    std::string_view name;
    std::string_view port;
    std::string_view written;
  };
  constexpr Row kRows[] = {
      {"Service", "Service w", R"("port":9090)", "patch Service w"},
      {"Deployment", "Deployment w", R"("containerPort":9090)", "patch Deployment w"}};
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.kind);
    ObservedState observed = standing();
    std::string text = json::to_text(observed.objects.find(row.kind, "w")->root());
    const std::size_t at = text.find(row.port);
    ASSERT_NE(at, std::string::npos) << text;
    text.replace(at + row.port.size() - 4, 4, "1234");
    const std::size_t generation = text.find(R"("generation":1)");
    if (generation != std::string::npos) text.replace(generation + 13, 1, "2");
    observed.objects.add(*kube::Object::parse(text));
    const Plan next = plan(observed);
    EXPECT_THAT(writes(next), ElementsAre(row.written, "patch DynamoComponentDeployment w status"));
    const Action* const patch = test::find(next, row.written);
    ASSERT_NE(patch, nullptr);
    EXPECT_THAT(body_of(*patch), HasSubstr(row.port));
    EXPECT_THAT(body_of(*patch), HasSubstr(R"("resourceVersion":)"));
  }
}

TEST(ComponentPlan, SpecIsComparedOnlyAtUnrecordedGenerations) {
  constexpr std::string_view kRecorded = R"("nvidia.com/last-applied-generation":"1")";
  struct Row {
    std::string_view what;
    std::string_view recorded;
    std::string_view generation;
    std::string_view figure;
    std::string_view written;  // the generation that is then recorded; "": nothing is written
    std::string_view available =
        written.empty() ? "True DeploymentReady" : "False DeploymentNotReady";
  };
  constexpr Row kRows[] = {
      {"rewritten as it was applied", "1", "1", "50%", ""},
      {"changed by somebody", "1", "2", "50%", "3"},
      {"somebody changed another figure", "1", "2", "25%", ""},
      {"an update that moved nothing", "2", "1", "50%", "1"},
      {"the same, with nothing rewritten", "2", "1", "25%", "1", "True DeploymentReady"},
  };
  for (const Row& row : kRows) {
    ObservedState observed = standing();
    std::string text = json::to_text(observed.objects.find("Deployment", "w")->root());
    text = replaced(text, R"("maxSurge":"25%")", R"("maxSurge":")" + std::string(row.figure) + '"');
    text = replaced(text, R"("generation":1)", R"("generation":)" + std::string(row.generation));
    text = replaced(text, R"("observedGeneration":1)", R"("observedGeneration":9)");
    text = replaced(text, kRecorded, replaced(std::string(kRecorded), "1", row.recorded));
    observed.objects.add(*kube::Object::parse(text));
    const Plan next = plan(observed);
    const Action* const apply = test::find(next, "apply Deployment w");
    EXPECT_EQ(apply != nullptr, !row.written.empty()) << row.what;
    EXPECT_EQ(condition(next, "Available"), row.available) << row.what;
    if (apply == nullptr || row.written.empty()) continue;
    EXPECT_THAT(body_of(*apply), HasSubstr(replaced(std::string(kRecorded), "1", row.written)))
        << row.what;
  }
}

// Without a recorded generation, the next change of another client would go unnoticed.
TEST(ComponentPlan, UnreadableRecordedGenerationIsRewritten) {
  constexpr std::string_view kRecorded = R"("nvidia.com/last-applied-generation":"1",)";
  for (const std::string_view found : {"", R"("nvidia.com/last-applied-generation":"one",)",
                                       R"("nvidia.com/last-applied-generation":"1x",)"}) {
    ObservedState observed = standing();
    for (const std::string kind : {"Deployment", "Service"}) {
      const std::string text = json::to_text(observed.objects.find(kind, "w")->root());
      observed.objects.add(*kube::Object::parse(replaced(text, kRecorded, found)));
    }
    const Plan next = plan(observed);
    EXPECT_EQ(condition(next, "Available"), "True DeploymentReady") << found;
    const Action* const deployment = test::find(next, "apply Deployment w");
    const Action* const service = test::find(next, "apply Service w");
    ASSERT_NE(deployment, nullptr) << found;
    ASSERT_NE(service, nullptr) << found;
    EXPECT_THAT(body_of(*deployment), HasSubstr(R"("nvidia.com/last-applied-generation":"2")"));
    EXPECT_THAT(body_of(*service), HasSubstr(R"("nvidia.com/last-applied-generation":"1")"));
  }
}

// The change does not affect the pods, so the component may be ready.
TEST(ComponentPlan, ChangedLabelIsRestoredOnReadyDeployment) {
  ObservedState observed = standing("componentType: worker, labels: {team: blue}");
  const std::string text = json::to_text(observed.objects.find("Deployment", "w")->root());
  observed.objects.add(
      *kube::Object::parse(replaced(text, R"("team":"blue")", R"("team":"theirs")")));
  const Plan next = plan(observed);
  EXPECT_THAT(words(next), Contains("apply Deployment w"));
  EXPECT_EQ(condition(next, "Available"), "True DeploymentReady");
}

TEST(ComponentPlan, RemovedAnnotationTriggersAnApply) {
  ObservedState observed = standing("componentType: worker, annotations: {note: x}");
  EXPECT_THAT(words(plan(observed)), Not(Contains("apply Service w")));
  observed.object = test::object(yaml("componentType: worker"));
  const Plan next = plan(observed);
  EXPECT_THAT(words(next), Contains("apply Service w"));
  EXPECT_THAT(words(next), Contains("apply Deployment w"));
}

// Switching from the Go operator must not cause a roll-out.
TEST(ComponentPlan, MatchingObjectsOfGoOperatorAreNotWritten) {
  ObservedState observed = standing();
  for (const std::string kind : {"Deployment", "Service"}) {
    std::string text = json::to_text(observed.objects.find(kind, "w")->root());
    const std::size_t at = text.find(R"("nvidia.com/last-applied-intent":)");
    ASSERT_NE(at, std::string::npos);
    text.erase(at, text.find(',', at) + 1 - at);
    observed.objects.add(*kube::Object::parse(text));
  }
  EXPECT_THAT(writes(plan(observed)), ElementsAre("patch DynamoComponentDeployment w status"));
}

// As created by the Go operator: without our own annotation.
std::string of_go_operator(const kube::Object& object) {
  std::string text = json::to_text(object.root());
  const std::size_t at = text.find(R"("nvidia.com/last-applied-intent":)");
  return text.erase(at, text.find(',', at) + 1 - at);
}

TEST(ComponentPlan, DifferingObjectsOfGoOperatorAreTakenOver) {
  constexpr std::string_view kLabels = R"("labels":{)";
  constexpr std::string_view kAnnotations = R"("annotations":{)";
  struct Row {
    std::string_view what;
    std::string_view before;
    std::string_view after;
    bool written;
  };
  constexpr Row kRows[] = {
      {"nothing", R"("uid":)", R"("uid":)", false},
      {"what Kubernetes writes", kAnnotations,
       R"("annotations":{"deployment.kubernetes.io/revision":"1",)", false},
      {"what our validator writes", kAnnotations,
       R"("annotations":{"dynamo-admission/last-admitted":"{}",)", false},
      {"an annotation of before", kAnnotations, R"("annotations":{"note":"x",)", true},
      {"a label of before", kLabels, R"("labels":{"team":"blue",)", true},
      {"a spec of before", R"(last-applied-hash":")", R"(last-applied-hash":"x)", true},
  };
  for (const Row& row : kRows) {
    ObservedState observed = standing("componentType: worker, labels: {stage: one}");
    const std::string text = of_go_operator(*observed.objects.find("Deployment", "w"));
    observed.objects.add(*kube::Object::parse(replaced(text, row.before, row.after)));
    const Plan next = plan(observed);
    const Action* const apply = test::find(next, "apply Deployment w");
    EXPECT_EQ(apply != nullptr, row.written) << row.what;
    EXPECT_EQ(apply != nullptr && std::get<Apply>(*apply).takes_over, row.written) << row.what;
  }
}

TEST(ComponentPlan, FieldsAreTakenOverAgainAfterRollback) {
  ObservedState observed = standing();
  observed.object = test::object(yaml("componentType: worker, replicas: 3"));
  const Plan next = plan(observed);
  ASSERT_NE(test::find(next, "apply Deployment w"), nullptr);
  EXPECT_FALSE(std::get<Apply>(*test::find(next, "apply Deployment w")).takes_over);
  // The Go operator has since written its own hash.
  std::string text = json::to_text(observed.objects.find("Deployment", "w")->root());
  const std::size_t at = text.find(R"(last-applied-hash":")") + 20;
  text.replace(at, 64, std::string(64, 'a'));
  observed.objects.add(*kube::Object::parse(text));
  ASSERT_NE(test::find(plan(observed), "apply Deployment w"), nullptr);
  EXPECT_TRUE(std::get<Apply>(*test::find(plan(observed), "apply Deployment w")).takes_over);
}

TEST(ComponentPlan, UpdateEventNamesTheChange) {
  ObservedState observed =
      standing("componentType: worker, extraPodSpec: {mainContainer: {image: 'a:1'}}");
  observed.object =
      test::object(yaml("componentType: worker, extraPodSpec: {mainContainer: {image: 'b:2'}}"));
  const Plan next = plan(observed);
  ASSERT_NE(test::find(next, "event UpdateDeployment Deployment w"), nullptr);
  EXPECT_THAT(std::get<EmitEvent>(*test::find(next, "event UpdateDeployment Deployment w")).note,
              HasSubstr(R"(image is "b:2" and was "a:1")"));
  // The pods are still those of the previous spec.
  EXPECT_EQ(condition(next, "Available"), "False DeploymentNotReady");
}

// Fields that the API server added are not ours, and are not reported.
TEST(ComponentPlan, UpdateEventNamesRemovedPodFields) {
  ObservedState observed = standing(
      "componentType: worker, envs: [{name: KEY, value: secret}], extraPodMetadata: {labels: "
      "{team: blue}}");
  std::string text = json::to_text(observed.objects.find("Deployment", "w")->root());
  text = replaced(text, R"("strategy":)",
                  R"("revisionHistoryLimit":10,"filledIn":{"a":"b"},"strategy":)");
  text = replaced(text, R"("containers":)", R"("dnsPolicy":"ClusterFirst","containers":)");
  observed.objects.add(*kube::Object::parse(text));
  observed.object = test::object(yaml("componentType: worker"));
  const Plan next = plan(observed);
  const Action* const found = test::find(next, "event UpdateDeployment Deployment w");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(std::get<EmitEvent>(*found).note,
            "Changed Deployment w: template.metadata.labels.team is gone, "
            "template.spec.containers[main].env[KEY] is gone");
}

// LeaderWorkerSets of two releases: only the newer one reports its observedGeneration.
TEST(ComponentPlan, GroupsAreReadyWhenUpdatedAndAvailable) {
  constexpr std::string_view kSpec =
      "componentType: worker, multinode: {nodeCount: 2}, resources: {limits: {gpu: '1'}}, "
      "extraPodSpec: {mainContainer: {image: 'a:1', command: [python3], args: [-m, dynamo.vllm]}}";
  struct Row {
    std::string_view status;
    std::string_view available;
    std::string_view why;
  };
  constexpr Row kRows[] = {
      {R"({"readyReplicas":1,"updatedReplicas":1,"conditions":[{"type":"Available","status":"True"}]})",
       "True AllLeaderWorkerSetsReady", "ready"},
      {R"({"observedGeneration":1,"readyReplicas":1,"updatedReplicas":1,"conditions":)"
       R"([{"type":"Available","status":"True"},{"type":"UpdateInProgress","status":"False"}]})",
       "True AllLeaderWorkerSetsReady", "ready"},
      {R"({"observedGeneration":0,"readyReplicas":1,"updatedReplicas":1,"conditions":)"
       R"([{"type":"Available","status":"True"}]})",
       "False SomeLeaderWorkerSetsNotReady", "w-0 is not yet observed by its own controller"},
      // Measured: without updatedReplicas, ready groups suffice.
      {R"({"readyReplicas":1,"conditions":[{"type":"Available","status":"True"}]})",
       "True AllLeaderWorkerSetsReady", "ready"},
      {R"({"readyReplicas":1,"updatedReplicas":0,"conditions":[{"type":"Available","status":"True"}]})",
       "False SomeLeaderWorkerSetsNotReady", "w-0 has groups of before"},
      {R"({"readyReplicas":1,"updatedReplicas":1,"conditions":[{"type":"Available","status":"True"},)"
       R"({"type":"UpdateInProgress","status":"True"}]})",
       "False SomeLeaderWorkerSetsNotReady", "w-0 has groups of before"},
      {R"({"updatedReplicas":1,"conditions":[{"type":"Available","status":"True"}]})",
       "False SomeLeaderWorkerSetsNotReady", "w-0 has groups that are not ready"},
      {R"({"readyReplicas":1,"updatedReplicas":1})", "False SomeLeaderWorkerSetsNotReady",
       "w-0 is not available"},
  };
  const auto observed = [&] {
    ObservedState made = small(kSpec);
    made.environment.profile.pathway = render::Pathway::kLws;
    return made;
  };
  const Plan first = plan(observed());
  EXPECT_THAT(message(first, "Available"), HasSubstr("w-0 is being made"));
  for (const Row& row : kRows) {
    ObservedState next = observed();
    next.objects.add(test::made(first, "apply LeaderWorkerSet w-0", "l", row.status));
    next.objects.add(test::made(first, "apply PodGroup w-0", "p"));
    next.objects.add(test::made(first, "apply Service w", "s"));
    EXPECT_EQ(condition(plan(next), "Available"), row.available) << row.status;
    EXPECT_THAT(message(plan(next), "Available"), HasSubstr(row.why)) << row.status;
  }
}

struct Readiness {
  std::string_view status;
  std::string_view spec;
  std::string_view available;
};

TEST(ComponentPlan, DeploymentNeedsUpdatedAndAvailablePods) {
  const Readiness rows[] = {
      {kReadyStatus, "replicas: 1", "True DeploymentReady"},
      {kReadyStatus, "", "True DeploymentReady"},
      {R"({"observedGeneration":0,"replicas":1,"updatedReplicas":1,"availableReplicas":1,)"
       R"("conditions":[{"type":"Available","status":"True"}]})",
       "replicas: 1", "False DeploymentNotReady"},
      {R"({"observedGeneration":1,"replicas":2,"updatedReplicas":1,"availableReplicas":1,)"
       R"("conditions":[{"type":"Available","status":"True"}]})",
       "replicas: 1", "False DeploymentNotReady"},
      {R"({"observedGeneration":1,"replicas":1,"updatedReplicas":1,"availableReplicas":1})",
       "replicas: 1", "False DeploymentNotReady"},
      {kReadyStatus, "replicas: 2", "False DeploymentNotReady"},
      {"", "replicas: 0", "True DeploymentReady"},
  };
  for (const Readiness& row : rows) {
    EXPECT_EQ(condition(plan(standing(row.spec, row.status)), "Available"), row.available)
        << row.status << row.spec;
  }
}

TEST(ComponentPlan, RefusedPodsAreReportedFromDeploymentCondition) {
  const Plan next = plan(standing(
      "replicas: 1",
      R"({"observedGeneration":1,"conditions":[{"type":"ReplicaFailure","status":"True",)"
      R"("reason":"FailedCreate","message":"pods \"w-1-\" is forbidden:\n exceeded quota: few"}]})"));
  EXPECT_EQ(condition(next, "Available"), "False DeploymentNotReady");
  EXPECT_THAT(message(next, "Available"),
              HasSubstr("0 available; its pods are refused: pods \"w-1-\" is forbidden:  exceeded "
                        "quota: few"));
}

TEST(ComponentPlan, ForeignObjectIsNotWritten) {
  ObservedState observed = standing();
  observed.objects.add(test::object(
      "{apiVersion: v1, kind: Service, metadata: {name: w, namespace: ml, uid: f, ownerReferences: "
      "[{kind: Helm, name: theirs, uid: o, controller: true}]}, spec: {}}"));
  const Plan next = plan(observed);
  EXPECT_THAT(writes(next), ElementsAre("patch DynamoComponentDeployment w status"));
  EXPECT_EQ(condition(next, "Available"), "False NameTaken");
  EXPECT_THAT(message(next, "Available"), HasSubstr("Service w must be free to be created"));
  EXPECT_THAT(message(next, "Available"), HasSubstr("Helm theirs"));
  EXPECT_EQ(next.outcome, PlanOutcome::kWait);
}

TEST(ComponentPlan, WaitsForObjectsOfEarlierNamesake) {
  ObservedState observed = small();
  observed.objects.add(test::object(
      "{apiVersion: apps/v1, kind: Deployment, metadata: {name: w, namespace: ml, uid: d, "
      "ownerReferences: [{kind: DynamoComponentDeployment, name: w, uid: earlier, controller: "
      "true}]}, spec: {}}"));
  const Plan next = plan(observed);
  EXPECT_THAT(writes(next), Not(Contains("apply Deployment w")));
  EXPECT_EQ(condition(next, "Available"), "False WaitingForDeletion");
  EXPECT_THAT(message(next, "Available"), HasSubstr("earlier DynamoComponentDeployment"));
  EXPECT_EQ(next.outcome, PlanOutcome::kWait);
}

TEST(ComponentPlan, WaitsForOwnObjectBeingDeleted) {
  ObservedState observed = standing();
  std::string text = json::to_text(observed.objects.find("Service", "w")->root());
  text = replaced(text, R"("uid":)", R"("deletionTimestamp":"2026-01-01T00:00:00Z","uid":)");
  observed.objects.add(*kube::Object::parse(text));
  const Plan next = plan(observed);
  EXPECT_EQ(condition(next, "Available"), "False WaitingForDeletion");
  EXPECT_EQ(message(next, "Available"),
            "Service w is being deleted; its deletion must finish "
            "first");
  // A name that will not become free by itself takes precedence.
  observed.objects.add(test::object("{kind: Deployment, metadata: {name: w, uid: f}, spec: {}}"));
  EXPECT_EQ(condition(plan(observed), "Available"), "False NameTaken");
}

TEST(ComponentPlan, UnwantedOwnedObjectsAreDeleted) {
  ObservedState observed = standing();
  const auto owned = [](std::string_view kind, std::string_view name, std::string_view uid) {
    return test::object("{kind: " + std::string(kind) + ", metadata: {name: " + std::string(name) +
                        ", namespace: ml, uid: x, ownerReferences: [{kind: "
                        "DynamoComponentDeployment, name: w, controller: true, uid: " +
                        std::string(uid) + "}]}}");
  };
  observed.objects.add(owned("Service", "w-p", "u"));
  observed.objects.add(owned("Deployment", "w-old", "u"));
  observed.objects.add(owned("LeaderWorkerSet", "w-1", "u"));
  observed.objects.add(owned("Service", "theirs", "o"));
  const Plan next = plan(observed);
  EXPECT_THAT(words(next), Contains("delete Service w-p"));
  EXPECT_THAT(words(next), Contains("delete Deployment w-old"));
  EXPECT_THAT(words(next), Contains("delete LeaderWorkerSet w-1"));
  EXPECT_THAT(words(next), Not(Contains("event DeleteLeaderWorkerSet LeaderWorkerSet w-1")));
  EXPECT_THAT(words(next), Not(Contains("delete Service theirs")));
  EXPECT_EQ(target_of(*test::find(next, "delete Deployment w-old"))->uid, "x");
}

// Such as a user's own Service that should be deleted with the component.
TEST(ComponentPlan, UserObjectsWithOwnerReferenceAreKept) {
  ObservedState observed = standing();
  const auto named = [](std::string_view name, std::string_view annotations) {
    return test::object(
        "{kind: Service, metadata: {name: " + std::string(name) +
        ", namespace: ml, uid: x, annotations: {" + std::string(annotations) +
        "}, ownerReferences: [{kind: DynamoComponentDeployment, name: w, uid: u}]}}");
  };
  observed.objects.add(named("mine", ""));
  observed.objects.add(named("w-p", ""));
  observed.objects.add(named("applied", "nvidia.com/last-applied-hash: a"));
  const std::vector<std::string> next = words(plan(observed));
  EXPECT_THAT(next, Not(Contains("delete Service mine")));
  EXPECT_THAT(next, Not(Contains("delete Service w-p")));
  EXPECT_THAT(next, Contains("delete Service applied"));
}

TEST(ComponentPlan, ModelServiceIsSharedByComponents) {
  const std::string_view spec = "componentType: worker, modelRef: {name: m}";
  const Plan first = plan(small(spec));
  std::string service;
  for (const std::string& word : words(first)) {
    if (word.starts_with("apply Service dynamo-model-")) service = word;
  }
  ASSERT_NE(service, "");
  ObservedState other = small(spec);
  std::string text = json::to_text(test::made(first, service, "m").root());
  const std::size_t at = text.find(R"("uid":"u")");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 9, R"("uid":"v")");
  other.objects.add(*kube::Object::parse(text));
  const Plan next = plan(other);
  const std::string patched = "patch " + service.substr(6);
  ASSERT_NE(test::find(next, patched), nullptr);
  EXPECT_THAT(body_of(*test::find(next, patched)), HasSubstr(R"("uid":"v")"));
  EXPECT_THAT(body_of(*test::find(next, patched)), HasSubstr(R"("uid":"u")"));
  EXPECT_EQ(condition(next, "Available"), "False DeploymentNotReady");
  // A component that serves another model leaves the Service to its other owners.
  std::string shared = json::to_text(other.objects.find("Service", service.substr(14))->root());
  const std::size_t owner = shared.find(R"("ownerReferences":[)");
  ASSERT_NE(owner, std::string::npos);
  shared.insert(owner + 19, R"({"kind":"DynamoComponentDeployment","name":"w","uid":"u"},)");
  ObservedState leaving = standing();
  leaving.objects.add(*kube::Object::parse(shared));
  const Plan left = plan(leaving);
  EXPECT_THAT(words(left), Not(Contains("delete " + service.substr(6))));
  ASSERT_NE(test::find(left, patched), nullptr);
  EXPECT_THAT(body_of(*test::find(left, patched)), Not(HasSubstr(R"("uid":"u")")));
}

TEST(ComponentPlan, InvalidObjectGetsConditionAndOneEvent) {
  ObservedState observed = small("componentType: worker", "");
  observed.errors = {"spec.replicas: must not be negative"};
  const Plan refused = plan(observed);
  EXPECT_THAT(words(refused), ElementsAre("event ValidationFailed DynamoComponentDeployment w",
                                          "patch DynamoComponentDeployment w status"));
  EXPECT_EQ(std::get<EmitEvent>(refused.actions.front()).occasion,
            occasion_of_generation("component", 3));
  EXPECT_EQ(condition(refused, "Valid"), "False ValidationFailed");
  EXPECT_EQ(refused.outcome, PlanOutcome::kRefused);
  observed.object = test::object(
      yaml("componentType: worker", "") +
      "status: {conditions: [{type: Valid, status: 'False', reason: ValidationFailed, message: "
      "'spec.replicas: must not be negative', observedGeneration: 3, lastTransitionTime: "
      "'2025-01-01T00:00:00Z'}]}\n");
  EXPECT_THAT(words(plan(observed)), IsEmpty());
}

// YAML of an object that was refused in that generation with that message.
std::string refused_before(int generation, const std::string& words) {
  return yaml("componentType: worker", kFinalizers) +
         "status: {conditions: [{type: Valid, status: 'False', reason: ValidationFailed, message: "
         "'" +
         words + "', observedGeneration: " + std::to_string(generation) +
         ", lastTransitionTime: '2025-01-01T00:00:00Z'}]}\n";
}

TEST(ComponentPlan, InvalidObjectGetsOneEventPerGeneration) {
  ObservedState observed = small();
  observed.errors = {"it is wrong"};
  const std::string event = "event ValidationFailed DynamoComponentDeployment w";
  observed.object = test::object(refused_before(2, "it is wrong"));
  EXPECT_THAT(words(plan(observed)), Contains(event)) << "of another generation";
  observed.object = test::object(refused_before(3, "it was called otherwise"));
  EXPECT_THAT(words(plan(observed)), ElementsAre("patch DynamoComponentDeployment w status"));
}

TEST(ComponentPlan, FixedObjectGetsOneEvent) {
  ObservedState observed = standing();
  observed.object = test::object(refused_before(2, "it is wrong"));
  const std::string event = "event ValidationPassed DynamoComponentDeployment w";
  EXPECT_THAT(words(plan(observed)), Contains(event));
  EXPECT_THAT(words(plan(standing())), Not(Contains(event)));
}

// Applies also to an object that the rules would refuse.
TEST(ComponentPlan, DeletionRemovesEtcdKeysAndFinalizer) {
  const std::string going =
      std::string(kFinalizers) + ", deletionTimestamp: '2026-01-01T00:00:00Z'";
  ObservedState observed = small("componentType: worker", going);
  observed.errors = {"spec.replicas: must not be negative"};
  EXPECT_THAT(words(plan(observed)), ElementsAre("jsonPatch DynamoComponentDeployment w"));
  observed.etcd_url = "https://etcd:2379";
  const Plan last = plan(observed);
  EXPECT_THAT(words(last), ElementsAre("call POST https://etcd:2379/v3/kv/txn",
                                       "jsonPatch DynamoComponentDeployment w"));
  // Keys "/x/components/W", and "/x/components/W/" up to "/x/components/W0".
  EXPECT_EQ(
      body_of(last.actions.front()),
      R"({"success":[{"request_delete_range":{"key":"L3gvY29tcG9uZW50cy9X"}},)"
      R"({"request_delete_range":{"key":"L3gvY29tcG9uZW50cy9XLw==","range_end":"L3gvY29tcG9uZW50cy9XMA=="}}]})");
  // An unavailable etcd never blocks the deletion.
  EXPECT_THAT(words(plan_after_failure(observed, "etcd did not answer")),
              ElementsAre("jsonPatch DynamoComponentDeployment w"));
  EXPECT_THAT(
      words(plan(small("componentType: worker", ", deletionTimestamp: '2026-01-01T00:00:00Z'"))),
      IsEmpty());
}

TEST(ComponentPlan, FailureIsReportedOnce) {
  ObservedState observed = small();
  const Plan failed = plan_after_failure(observed, "Deployment w: a webhook refused it");
  EXPECT_THAT(words(failed), ElementsAre("event ReconcileError DynamoComponentDeployment w",
                                         "patch DynamoComponentDeployment w status"));
  EXPECT_EQ(condition(failed, "Available"), "False Reconciling");
  EXPECT_EQ(message(failed, "Available"), "Deployment w: a webhook refused it");
  EXPECT_EQ(failed.outcome, PlanOutcome::kRetry);
}

TEST(ComponentPlan, UnservedResourceIsNamedInCondition) {
  ObservedState observed = small(
      "componentType: worker, ingress: {enabled: true, host: h, useVirtualService: true, "
      "virtualServiceGateway: gw}");
  observed.environment.profile.virtual_service_gateway = "gw";
  observed.objects.mark_not_served("VirtualService");
  const Plan next = plan(observed);
  EXPECT_THAT(words(next), Contains("apply Deployment w"));
  EXPECT_THAT(message(next, "Available"), HasSubstr("VirtualService w needs a resource"));
}

}  // namespace
}  // namespace dynamo::reconciler::component
