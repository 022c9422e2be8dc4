// Name conflicts with foreign objects, and other failures: which clean-up and counting still
// happens.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "desired/graph_services.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "reconciler/component/plan.hpp"
#include "reconciler/graph/plan.hpp"
#include "tests/reconciler/graph/plan_helpers.hpp"

namespace dynamo::reconciler {
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

// --- Graphs.

constexpr std::string_view kTwo =
    "services: {A: {componentType: worker}, B: {componentType: worker}}";

kube::Object graph_object(std::string_view spec, std::string_view status = "{}") {
  return test::object(
      "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: g, "
      "namespace: ml, uid: u, generation: 4, resourceVersion: '5', finalizers: "
      "[nvidia.com/finalizer]}\nspec: {" +
      std::string(spec) + "}\nstatus: " + std::string(status) + "\n");
}

graph::ObservedState graph_of(kube::Object object) {
  graph::ObservedState observed = test::graph("{kind: DynamoGraphDeployment, metadata: {name: g}}");
  observed.object = std::move(object);
  observed.environment.profile.discovery = render::DiscoveryBackend::kEtcd;
  return observed;
}

constexpr std::string_view kCheckpointed =
    "services: {A: {componentType: worker, checkpoint: {enabled: true, identity: {model: m, "
    "backendFramework: vllm}}}}";

kube::Object named_checkpoint(const std::string& name, const std::string& identity) {
  return test::object("{kind: DynamoCheckpoint, metadata: {name: '" + name +
                      "', uid: c}, spec: {identity: " + identity + "}}");
}

// The name of the checkpoint that the graph creates.
std::string requested_checkpoint(const Plan& plan) {
  constexpr std::string_view kApply = "apply DynamoCheckpoint ";
  for (const std::string& word : words(plan)) {
    if (word.starts_with(kApply)) return word.substr(kApply.size());
  }
  return "";
}

TEST(GraphNameConflicts, CheckpointOfAnotherIdentityIsReported) {
  graph::ObservedState observed = graph_of(graph_object(kCheckpointed));
  const std::string name = requested_checkpoint(plan(observed));
  ASSERT_NE(name, "");
  observed.objects.add(named_checkpoint(name, "{model: other, backendFramework: vllm}"));
  const Plan made = plan(observed);
  EXPECT_EQ(condition(made, "Ready"), "False name_is_taken");
  EXPECT_THAT(message(made, "Ready"),
              HasSubstr("DynamoCheckpoint " + name +
                        " must be free to be created; found one of another spec.identity"));
  EXPECT_EQ(status(made, "checkpoints"), R"({"A":{"identityHash":")" + name + R"("}})");
  EXPECT_THAT(words(made), Contains(HasSubstr("DynamoComponentDeployment g-a")));
}

TEST(GraphNameConflicts, UnlabelledCheckpointOfSameIdentityIsUsed) {
  graph::ObservedState observed = graph_of(graph_object(kCheckpointed));
  const std::string name = requested_checkpoint(plan(observed));
  observed.objects.add(named_checkpoint(name, "{backendFramework: vllm, model: m}"));
  const Plan made = plan(observed);
  EXPECT_THAT(condition(made, "Ready"), Not(HasSubstr("name_is_taken")));
  EXPECT_THAT(status(made, "checkpoints"), HasSubstr(R"("checkpointName":")" + name));
}

// The graph in its present state, with components A and B created earlier and available.
graph::ObservedState edited(std::string_view spec, std::string_view status = "{}") {
  const Plan first = plan(graph_of(graph_object(kTwo)));
  graph::ObservedState observed = graph_of(graph_object(spec, status));
  for (const std::string name : {"g-a", "g-b"}) {
    observed.objects.add(
        test::made(first, "apply DynamoComponentDeployment " + name, name, kReadyStatus));
  }
  return observed;
}

// A foreign component with counts and a restart mark of its own.
constexpr std::string_view kForeign =
    "{apiVersion: nvidia.com/v1alpha1, kind: DynamoComponentDeployment, metadata: {name: g-z, "
    "namespace: ml, uid: h, generation: 1}, spec: {annotations: {nvidia.com/restartAt: theirs}}, "
    "status: {observedGeneration: 1, conditions: [{type: Available, status: 'True'}], service: "
    "{componentKind: Deployment, replicas: 99}}}";

TEST(GraphNameConflicts, CollisionDoesNotBlockCleanUpAndCounting) {
  graph::ObservedState observed =
      edited("services: {A: {componentType: worker}, Z: {componentType: worker}}",
             "{services: {A: {replicas: 7}, B: {replicas: 1}}}");
  observed.objects.add(test::object(kForeign));
  const Plan next = plan(observed);
  EXPECT_THAT(writes(next), ElementsAre("delete DynamoComponentDeployment g-b",
                                        "patch DynamoGraphDeployment g status"));
  EXPECT_EQ(condition(next, "Ready"), "False name_is_taken");
  EXPECT_EQ(status(next, "state"), R"("failed")");
  EXPECT_EQ(status(next, "services"),
            R"({"A":{"componentKind":"Deployment","replicas":1},"B":null})");
  EXPECT_EQ(next.outcome, PlanOutcome::kWait);
}

TEST(GraphNameConflicts, EarlyFailurePreventsCleanUpAndCounting) {
  struct Row {
    std::string_view what;
    std::string_view spec;
    std::string_view objects;
  };
  constexpr Row kRows[] = {
      {"a claim is missing", "pvcs: [{name: c}], services: {A: {componentType: worker}}", ""},
      {"the last of the objects is refused",
       "services: {A: {componentType: worker}, C: {multinode: {nodeCount: 2}}}", ""},
      {"its rights are somebody else's", "services: {A: {componentType: worker}}",
       "{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: "
       "g-k8s-service-discovery-role, namespace: ml, uid: r}}"},
  };
  constexpr std::string_view kKnown = "{services: {A: {replicas: 7}, B: {replicas: 1}}}";
  for (const Row& row : kRows) {
    graph::ObservedState observed = edited(row.spec, kKnown);
    if (!row.objects.empty()) {
      observed.environment.profile.discovery = render::DiscoveryBackend::kKubernetes;
      observed.objects.add(test::object(row.objects));
    }
    const Plan next = plan(observed);
    EXPECT_EQ(status(next, "state"), R"("failed")") << row.what;
    EXPECT_THAT(words(next), Not(Contains(StartsWith("delete")))) << row.what;
    EXPECT_EQ(status(next, "services"), "") << row.what;
  }
}

TEST(GraphNameConflicts, ServicesWithTheSameNameAreCountedOnce) {
  constexpr std::string_view kSpec =
      "services: {A: {componentType: worker}, a: {componentType: worker}}";
  graph::ObservedState observed = graph_of(graph_object(kSpec));
  observed.objects.add(
      test::made(plan(observed), "apply DynamoComponentDeployment g-a", "a", kReadyStatus));
  EXPECT_EQ(status(plan(observed), "services"),
            R"({"A":{"componentKind":"Deployment","replicas":1}})");
}

TEST(GraphNameConflicts, RestartWaitsForServiceWithTakenName) {
  constexpr std::string_view kServices =
      "services: {A: {componentType: worker}, Z: {componentType: worker}}";
  const std::string asked = "restart: {id: r1, strategy: {order: [Z, A]}}, ";
  graph::ObservedState observed =
      edited(asked + std::string(kServices),
             "{restart: {observedID: r1, phase: Restarting, inProgress: [Z]}}");
  observed.objects.add(test::object(kForeign));
  const Plan next = plan(observed);
  EXPECT_EQ(condition(next, "Ready"), "False name_is_taken");
  EXPECT_EQ(status(next, "restart"), "") << "it is as reported";
  EXPECT_THAT(writes(next), Not(Contains("apply DynamoComponentDeployment g-a")));
  // The mark of the foreign component is not adopted.
  const kube::Object object = graph_object(kServices);
  const api::GraphDeployment left{object.root()};
  EXPECT_THAT(graph::restart_of(left, "u", observed.objects, render::Pathway::kComponent).marks,
              IsEmpty());
}

// --- Components.

constexpr std::string_view kWorker = "componentType: worker";
constexpr std::string_view kGroups =
    "componentType: worker, multinode: {nodeCount: 2}, resources: {limits: {gpu: '1'}}, "
    "extraPodSpec: {mainContainer: {image: 'a:1', command: [python3], args: [-m, dynamo.vllm]}}";

component::ObservedState component_of(std::string_view spec) {
  component::ObservedState observed = test::component(
      "apiVersion: nvidia.com/v1alpha1\nkind: DynamoComponentDeployment\nmetadata: {name: w, "
      "namespace: ml, uid: u, generation: 3, resourceVersion: '5', finalizers: "
      "[nvidia.com/finalizer]}\nspec: {dynamoNamespace: x, serviceName: W, " +
      std::string(spec) + "}\n");
  observed.environment.profile.discovery = render::DiscoveryBackend::kEtcd;
  observed.environment.profile.pathway = render::Pathway::kLws;
  return observed;
}

kube::Object owned(std::string_view kind, std::string_view name, std::string_view uid) {
  return test::object("{kind: " + std::string(kind) + ", metadata: {name: " + std::string(name) +
                      ", namespace: ml, uid: x, ownerReferences: [{kind: "
                      "DynamoComponentDeployment, name: w, controller: true, uid: " +
                      std::string(uid) + "}]}}");
}

// A taken name blocks dependent objects only: clean-up and counting continue.
TEST(ComponentNameConflicts, TakenNameDoesNotPreventCleanUp) {
  struct Row {
    std::string_view what;
    std::string_view spec;
    std::string_view taken;  // kind of the taken object; the name is "w", or "w-0" for a group
    bool counted;            // the status counts the pods
    bool keeps;              // an unwanted Deployment is kept
  };
  constexpr Row kRows[] = {
      {"a Service", kWorker, "Service", true, false},
      {"the Deployment", kWorker, "Deployment", false, false},
      {"a group", kGroups, "LeaderWorkerSet", false, true},
      {"a group's PodGroup", kGroups, "PodGroup", false, true},
      {"a Service in front of groups", kGroups, "Service", true, false},
      {"the Ingress",
       "componentType: frontend, ingress: {enabled: true, host: h, "
       "ingressControllerClassName: c}",
       "Ingress", true, false},
  };
  for (const Row& row : kRows) {
    component::ObservedState observed = component_of(row.spec);
    const bool of_group = row.taken == "LeaderWorkerSet" || row.taken == "PodGroup";
    observed.objects.add(test::object(
        "{kind: " + std::string(row.taken) + ", metadata: {name: " + (of_group ? "w-0" : "w") +
        ", namespace: ml, uid: f}, spec: {}, status: {replicas: 99}}"));
    observed.objects.add(owned("Deployment", "w-old", "u"));
    observed.objects.add(owned("Service", "w-x", "u"));
    observed.objects.add(owned("Service", "theirs", "o"));
    const Plan next = plan(observed);
    EXPECT_EQ(condition(next, "Available"), "False NameTaken") << row.what;
    EXPECT_THAT(words(next), Contains("delete Service w-x")) << row.what;
    EXPECT_THAT(words(next), Not(Contains("delete Service theirs"))) << row.what;
    EXPECT_THAT(words(next), Not(Contains("delete " + std::string(row.taken) + " w"))) << row.what;
    EXPECT_EQ(test::find(next, "delete Deployment w-old") == nullptr, row.keeps) << row.what;
    EXPECT_EQ(!test::status(next, "service").empty(), row.counted) << row.what;
    EXPECT_THAT(test::status(next, "service"), Not(HasSubstr("99"))) << row.what;
    // The observed generation is not the one that runs.
    EXPECT_EQ(test::status(next, "observedGeneration"), "") << row.what;
  }
}

// The Service was created by an earlier component and edited since. Its controller restores it, or
// a remaining owner does. The garbage collector removes the references of deleted owners.
TEST(ComponentNameConflicts, ModelServiceIsRestoredByRemainingOwner) {
  constexpr std::string_view kOurs = "{kind: DynamoComponentDeployment, name: w, uid: u}";
  constexpr std::string_view kEarlier =
      "{kind: DynamoComponentDeployment, name: x, uid: v, controller: true}";
  struct Row {
    std::string_view what;
    std::string owners;
    std::string_view verb;  // of the write; "" if none
  };
  const Row rows[] = {
      {"it is not ours yet", std::string(kEarlier), "patch"},
      {"its first owner has not gone", std::string(kEarlier).append(", ").append(kOurs), ""},
      {"its first owner is gone", std::string(kOurs), "apply"},
      {"its first owner has left it behind", "", "patch"},
  };
  const component::ObservedState observed =
      component_of("componentType: worker, modelRef: {name: m}");
  const Plan first = plan(observed);
  const auto of_model = [](const Action& action) {
    return action_kind_of(action) != ActionKind::kEvent &&
           target_of(action)->name.starts_with("dynamo-model-");
  };
  const auto apply = std::ranges::find_if(first.actions, of_model);
  ASSERT_NE(apply, first.actions.end());
  const auto labels = json::parse_copy(body_of(*apply));
  for (const Row& row : rows) {
    component::ObservedState later = observed;
    later.objects.add(test::object(
        "{apiVersion: v1, kind: Service, metadata: {name: " + target_of(*apply)->name +
        ", namespace: ml, uid: s, labels: " + json::to_text(labels->root()["metadata"]["labels"]) +
        ", ownerReferences: [" + row.owners + "]}, spec: {selector: {edited: by-hand}}}"));
    const Plan next = plan(later);
    const auto write = std::ranges::find_if(next.actions, of_model);
    ASSERT_EQ(write == next.actions.end(), row.verb.empty()) << row.what;
    if (row.verb.empty()) continue;
    EXPECT_EQ(to_string(action_kind_of(*write)), row.verb) << row.what;
    EXPECT_EQ(body_of(*write).find("selector") != std::string::npos, row.verb == "apply")
        << row.what;
  }
}

// The objects after the refused one are unknown.
TEST(ComponentNameConflicts, RefusedRenderingPreventsCleanUp) {
  component::ObservedState observed =
      component_of("componentType: worker, resources: {limits: {cpu: lots}}");
  observed.objects.add(owned("Service", "w-x", "u"));
  observed.objects.add(owned("Deployment", "w-old", "u"));
  const Plan next = plan(observed);
  EXPECT_EQ(condition(next, "Available"), "False Reconciling");
  EXPECT_THAT(writes(next), ElementsAre("patch DynamoComponentDeployment w status"));
  EXPECT_EQ(test::status(next, "service"), "");
}

}  // namespace
}  // namespace dynamo::reconciler
