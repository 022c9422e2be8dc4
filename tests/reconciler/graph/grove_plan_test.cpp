// Plans for a graph that Grove runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "desired/graph_cliques.hpp"
#include "desired/graph_pathway.hpp"
#include "desired/kinds.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "reconciler/graph/plan.hpp"
#include "tests/reconciler/graph/plan_helpers.hpp"

namespace dynamo::reconciler::graph {
namespace {

using test::condition;
using test::message;
using test::status;
using test::words;
using test::writes;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view kTwo =
    "services: {A: {componentType: worker, replicas: 2}, "
    "B: {componentType: worker, replicas: 1, multinode: {nodeCount: 2}, resources: {limits: {gpu: "
    "'1'}}}}";
constexpr std::string_view kObserved = R"({"observedGeneration":1})";
constexpr std::string_view kClique =
    "{apiVersion: grove.io/v1alpha1, kind: PodClique, metadata: {name: g-0-a, namespace: ml, uid: "
    "c, "
    "generation: 2}, spec: {replicas: 2}, status: {observedGeneration: 2, replicas: 2, "
    "updatedReplicas: 2, readyReplicas: 2}}";
constexpr std::string_view kGroup =
    "{apiVersion: grove.io/v1alpha1, kind: PodCliqueScalingGroup, metadata: {name: g-0-b, "
    "namespace: "
    "ml, uid: s, generation: 1}, spec: {replicas: 1}, status: {observedGeneration: 1, replicas: 1, "
    "updatedReplicas: 1, availableReplicas: 1}}";

std::string yaml(std::string_view spec, std::string_view metadata, std::string_view status) {
  std::string text =
      "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: g, "
      "namespace: ml, uid: u, generation: 4, resourceVersion: '5', finalizers: "
      "[nvidia.com/finalizer]" +
      std::string(metadata) + "}\nspec: {" + std::string(spec) + "}\n";
  if (!status.empty()) text += "status: " + std::string(status) + "\n";
  return text;
}

ObservedState fresh(std::string_view spec = kTwo, std::string_view metadata = "",
                    std::string_view status = "") {
  ObservedState observed = test::graph(yaml(spec, metadata, status));
  observed.environment.profile.discovery = render::DiscoveryBackend::kEtcd;
  observed.environment.profile.pathway = render::Pathway::kGrove;
  return observed;
}

// The graph with its set, as Grove has observed it, and these cliques.
ObservedState running(std::string_view clique = kClique, std::string_view group = kGroup,
                      std::string_view spec = kTwo, std::string_view status = "") {
  ObservedState observed = fresh(spec, "", status);
  observed.objects.add(test::made(plan(observed), "apply PodCliqueSet g", "set", kObserved));
  for (const std::string_view each : {clique, group}) {
    if (!each.empty()) observed.objects.add(test::object(each));
  }
  return observed;
}

std::string with(std::string_view clique, std::string_view what, std::string_view with) {
  std::string text(clique);
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  text.replace(at, what.size(), with);
  return text;
}

TEST(GroveGraphPlan, SetIsCreatedInsteadOfComponents) {
  const Plan made = plan(fresh());
  EXPECT_THAT(writes(made),
              ElementsAre("apply PodCliqueSet g", "patch DynamoGraphDeployment g status"));
  EXPECT_THAT(words(made), Contains("event CreatePodCliqueSet PodCliqueSet g"));
  EXPECT_EQ(condition(made, "Ready"), "False some_resources_are_not_ready");
  EXPECT_EQ(message(made, "Ready"),
            "Not ready: g: PodCliqueSet is being made; g-0-a: PodClique does not exist yet; g-0-b: "
            "PodCliqueScalingGroup does not exist yet");
}

// Q16.
TEST(GroveGraphPlan, AbsentCliquesAreCountedByName) {
  EXPECT_EQ(status(plan(fresh()), "services"),
            R"({"A":{"componentKind":"PodClique","componentName":"g-0-a","replicas":0,)"
            R"("updatedReplicas":0},"B":{"componentKind":"PodCliqueScalingGroup",)"
            R"("componentName":"g-0-b","replicas":0,"updatedReplicas":0}})");
}

TEST(GroveGraphPlan, GraphIsSuccessfulWhenItsCliquesAreReady) {
  const Plan next = plan(running());
  EXPECT_THAT(words(next), ElementsAre("patch DynamoGraphDeployment g status"));
  EXPECT_EQ(condition(next, "Ready"), "True all_resources_are_ready");
  EXPECT_EQ(status(next, "services"),
            R"({"A":{"componentKind":"PodClique","componentName":"g-0-a","replicas":2,)"
            R"("updatedReplicas":2,"readyReplicas":2},"B":{"componentKind":)"
            R"("PodCliqueScalingGroup","componentName":"g-0-b","replicas":1,"updatedReplicas":1,)"
            R"("availableReplicas":1}})");
}

TEST(GroveGraphPlan, UnreadyCliqueIsReportedWithReason) {
  struct Row {
    std::string_view before;
    std::string_view after;
    std::string_view message;
  };
  constexpr Row kRows[] = {
      {"observedGeneration: 2", "observedGeneration: 1",
       "PodClique is not yet observed by its own controller"},
      {"observedGeneration: 2, ", "", "PodClique is not yet observed by its own controller"},
      {"readyReplicas: 2", "readyReplicas: 1", "PodClique 1 of 2 replicas is ready"},
      {"readyReplicas: 2", "readyReplicas: 3", "PodClique 3 of 2 replicas are ready"},
      {"updatedReplicas: 2", "updatedReplicas: 0", "PodClique 0 of 2 replicas are updated"},
      {", replicas: 2, u", ", replicas: 3, u", "PodClique 3 of 2 replicas are present"},
      {"spec: {replicas: 2}", "spec: {replicas: 0}", "PodClique is being scaled"},
  };
  for (const Row& row : kRows) {
    const Plan next = plan(running(with(kClique, row.before, row.after)));
    EXPECT_EQ(message(next, "Ready"), "Not ready: g-0-a: " + std::string(row.message));
  }
  const Plan group =
      plan(running(kClique, with(kGroup, "availableReplicas: 1", "readyReplicas: 1")));
  EXPECT_EQ(message(group, "Ready"),
            "Not ready: g-0-b: PodCliqueScalingGroup 0 of 1 replicas are available");
}

TEST(GroveGraphPlan, CliqueOfFormerSetIsIgnored) {
  const std::string former = with(kClique, "generation: 2",
                                  "generation: 2, ownerReferences: [{apiVersion: "
                                  "grove.io/v1alpha1, kind: PodCliqueSet, name: g, "
                                  "uid: former, controller: true}]");
  EXPECT_EQ(message(plan(running(former)), "Ready"),
            "Not ready: g-0-a: PodClique does not exist yet");
}

TEST(GroveGraphPlan, ReplicaCountsAreScaledWhereTheyDiffer) {
  ObservedState observed = running();
  observed.scales = {{kPodCliques, "g-0-a", "c", 1}, {kScalingGroups, "g-0-b", "s", 1}};
  const Plan next = plan(observed);
  EXPECT_THAT(writes(next), Contains("patch PodClique g-0-a scale"));
  EXPECT_THAT(writes(next), Not(Contains(HasSubstr("g-0-b"))));
  EXPECT_EQ(body_of(*test::find(next, "patch PodClique g-0-a scale")),
            R"({"spec":{"replicas":2}})");
  // Without a replica count another client may scale the service.
  observed.object = test::object(yaml("services: {A: {componentType: worker}}", "", ""));
  EXPECT_THAT(writes(plan(observed)), Not(Contains(HasSubstr("scale"))));
}

// So that no pod restarts when the controllers are replaced.
TEST(GroveGraphPlan, UnchangedSetOfGoOperatorIsNotWritten) {
  ObservedState observed = running();
  const kube::Object* const ours = observed.objects.find(kPodCliqueSets.kind, "g");
  std::string text = json::to_text(ours->root());
  const std::size_t intent = text.find(R"("nvidia.com/last-applied-intent")");
  ASSERT_NE(intent, std::string::npos);
  text.erase(intent, text.find(',', intent) - intent + 1);
  // Defaults of the API server and of Grove.
  constexpr std::string_view kMain = R"({"name":"main",)";
  for (std::size_t at = text.find(kMain); at != std::string::npos; at = text.find(kMain, at + 1)) {
    text.insert(at + 1, R"("terminationMessagePath":"/dev/termination-log","resources":{},)");
  }
  observed.objects.add(*kube::Object::parse(text));
  EXPECT_THAT(writes(plan(observed)), ElementsAre("patch DynamoGraphDeployment g status"));
}

TEST(GroveGraphPlan, NothingIsCreatedWithoutTheQueue) {
  ObservedState observed = fresh();
  observed.missing_queue = "gold";
  const Plan next = plan(observed);
  EXPECT_THAT(writes(next), ElementsAre("patch DynamoGraphDeployment g status"));
  EXPECT_EQ(condition(next, "Ready"), "False failed_to_reconcile_the_resources");
  EXPECT_THAT(message(next, "Ready"), HasSubstr("Queue gold of KAI must exist"));
}

TEST(GroveGraphPlan, SetOfAnotherOwnerIsReported) {
  ObservedState observed = fresh();
  observed.objects.add(
      test::object("{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: g, "
                   "namespace: ml, uid: x}, "
                   "spec: {}}"));
  observed.scales = {{kPodCliques, "g-0-a", "c", 1}};
  const Plan next = plan(observed);
  EXPECT_EQ(condition(next, "Ready"), "False name_is_taken");
  EXPECT_THAT(writes(next), ElementsAre("patch DynamoGraphDeployment g status"));
}

// --- Restarts.

std::string restarted(std::string_view id) {
  return std::string(kTwo) + ", restart: {id: " + std::string(id) + ", strategy: {type: Parallel}}";
}

TEST(GroveGraphPlan, RestartCompletesAfterTheSetIsObserved) {
  constexpr std::string_view kStatus =
      "{restart: {observedID: r1, phase: Restarting, inProgress: [A, B]}}";
  const std::string spec = restarted("r1");
  ObservedState observed = running(kClique, kGroup, spec, kStatus);
  EXPECT_EQ(status(plan(observed), "restart"), R"({"phase":"Completed","inProgress":null})");
  // Grove has not observed the marks yet.
  observed.objects.add(test::made(plan(fresh(spec, "", kStatus)), "apply PodCliqueSet g", "set"));
  EXPECT_EQ(status(plan(observed), "restart"), "") << "nothing changed";
}

// The clique of the first service as Grove creates it, with this annotation and more of a status.
std::string marked_clique(std::string_view mark, std::string_view more = "") {
  const std::string labelled =
      with(kClique, "generation: 2",
           "generation: 2, labels: {nvidia.com/dynamo-graph-deployment-name: g, "
           "nvidia.com/dynamo-component: A}, annotations: {nvidia.com/restartAt: " +
               std::string(mark) +
               "}, ownerReferences: [{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, name: g, "
               "uid: set, controller: true}]");
  return with(labelled, "status: {", "status: {" + std::string(more));
}

TEST(GroveGraphPlan, RestartCompletesAfterGroveMarksTheCliques) {
  constexpr std::string_view kStatus =
      "{restart: {observedID: r1, phase: Restarting, inProgress: [A, B]}}";
  const std::string spec = restarted("r1");
  EXPECT_EQ(status(plan(running(marked_clique("r0"), kGroup, spec, kStatus)), "restart"),
            R"({"inProgress":["A"]})");
  EXPECT_EQ(status(plan(running(marked_clique("r1"), kGroup, spec, kStatus)), "restart"),
            R"({"phase":"Completed","inProgress":null})");
}

TEST(GroveGraphPlan, RestartCompletesAfterGroveAppliesTheSet) {
  constexpr std::string_view kStatus =
      "{restart: {observedID: r1, phase: Restarting, inProgress: [A, B]}}";
  const std::string spec = restarted("r1");
  const auto restart_with = [&](std::string_view applied) {
    const std::string hash = "currentPodCliqueSetGenerationHash: " + std::string(applied) + ", ";
    ObservedState observed = running(marked_clique("r1", hash), kGroup, spec, kStatus);
    observed.objects.add(test::made(plan(fresh(spec, "", kStatus)), "apply PodCliqueSet g", "set",
                                    R"({"observedGeneration":1,"currentGenerationHash":"new"})"));
    return status(plan(observed), "restart");
  };
  EXPECT_EQ(restart_with("old"), R"({"inProgress":["A"]})");
  EXPECT_EQ(restart_with("new"), R"({"phase":"Completed","inProgress":null})");
}

TEST(GroveGraphPlan, RestartMarksEveryCliqueOfTheService) {
  const Plan next = plan(fresh(restarted("r1")));
  const auto body = json::parse_copy(body_of(*test::find(next, "apply PodCliqueSet g")));
  const json::Value cliques = body->root()["spec"]["template"]["cliques"];
  EXPECT_EQ(cliques.size(), 3U);
  for (const json::Value clique : cliques.elements()) {
    const json::Value annotations = clique["annotations"];
    EXPECT_EQ(annotations["nvidia.com/restartAt"].string(), "r1");
  }
}

std::string mark_of(const Plan& plan, std::size_t index) {
  const auto body = json::parse_copy(body_of(*test::find(plan, "apply PodCliqueSet g")));
  const json::Value cliques = body->root()["spec"]["template"]["cliques"];
  for (const json::Value clique : cliques.elements()) {
    if (index-- > 0) continue;
    const json::Value annotations = clique["annotations"];
    return std::string(annotations["nvidia.com/restartAt"].string_or_empty());
  }
  return "";
}

TEST(GroveGraphPlan, ServicesOutsideRestartKeepTheirMark) {
  const std::string carried =
      with(kClique, "generation: 2",
           "generation: 2, labels: {nvidia.com/dynamo-graph-deployment-name: g, "
           "nvidia.com/dynamo-component: A}, annotations: {nvidia.com/restartAt: r0}");
  ObservedState observed = fresh();
  observed.objects.add(test::object(carried));
  EXPECT_EQ(mark_of(plan(observed), 0), "r0");
  EXPECT_EQ(mark_of(plan(observed), 1), "");
}

TEST(GroveGraphPlan, WithdrawnRestartKeepsTheMarkOfTheSet) {
  ObservedState marked = fresh(restarted("r1"));
  const kube::Object set = test::made(plan(marked), "apply PodCliqueSet g", "set", kObserved);
  ObservedState withdrawn = fresh(std::string(kTwo) + ", envs: [{name: X, value: y}]");
  withdrawn.objects.add(set);
  EXPECT_EQ(mark_of(plan(withdrawn), 0), "r1");
  for (const std::string_view mark : {"", ", annotations: {nvidia.com/restartAt: r0}"}) {
    const std::string clique =
        with(kClique, "generation: 2",
             "generation: 2, labels: {nvidia.com/dynamo-graph-deployment-name: g, "
             "nvidia.com/dynamo-component: A}" +
                 std::string(mark));
    ObservedState partial = withdrawn;
    partial.objects.add(test::object(clique));
    EXPECT_EQ(mark_of(plan(partial), 0), "r1") << mark;
  }
}

// --- Pathways.

TEST(GroveGraphPlan, LeavingGroveIsRefusedAndDeletesNothing) {
  ObservedState observed = running();
  observed.object =
      test::object(yaml(kTwo, ", annotations: {nvidia.com/enable-grove: 'false'}", ""));
  observed.environment.profile.pathway = render::Pathway::kComponent;
  observed.leaves_grove = true;
  const Plan refused = plan(observed);
  EXPECT_THAT(writes(refused), ElementsAre("patch DynamoGraphDeployment g status"));
  EXPECT_EQ(condition(refused, "Ready"), "False pathway_cannot_change");
  EXPECT_THAT(message(refused, "Ready"), HasSubstr("must not be \"false\" while a PodCliqueSet"));
  EXPECT_EQ(refused.outcome, PlanOutcome::kRefused);
}

TEST(GroveGraphPlan, ComponentsOfAnotherOperatorAreKept) {
  ObservedState observed = running();
  observed.objects.add(test::object(
      "{apiVersion: nvidia.com/v1alpha1, kind: DynamoComponentDeployment, metadata: {name: g-a, "
      "namespace: ml, uid: d, ownerReferences: [{apiVersion: nvidia.com/v1alpha1, kind: "
      "DynamoGraphDeployment, name: g, uid: u, controller: true}]}}"));
  EXPECT_THAT(writes(plan(observed)), ElementsAre("patch DynamoGraphDeployment g status"));
}

TEST(GraphPathways, DependOnServedApisAndExistingObjects) {
  struct Row {
    api::Fact served;
    std::string_view metadata;
    std::string_view status;
    GraphWorkloads workloads;
    std::string_view expected;
  };
  constexpr std::string_view kOff = ", annotations: {nvidia.com/enable-grove: 'False'}";
  constexpr std::string_view kRan = "{services: {A: {componentKind: PodClique}}}";
  const Row rows[] = {
      {api::Fact::kYes, "", "", {}, "grove"},
      {api::Fact::kYes, kOff, "", {}, "components"},
      {api::Fact::kYes, "", "", {.has_components = true}, "components avoids"},
      {api::Fact::kYes, "", "", {.has_components = true, .has_clique_set = true}, "grove"},
      {api::Fact::kYes, kOff, "", {.has_clique_set = true}, "components leaves"},
      // Its user has deleted the set.
      {api::Fact::kYes, kOff, kRan, {}, "components"},
      {api::Fact::kNo, "", "", {}, "components"},
      {api::Fact::kNo, "", kRan, {}, "components leaves"},
      {api::Fact::kNo, "", kRan, {.has_components = true}, "components"},
  };
  for (const Row& row : rows) {
    api::ClusterFacts facts;
    facts.grove_served = row.served;
    const kube::Object object = test::object(yaml(kTwo, row.metadata, row.status));
    const GraphPathway way = pathway_of(facts, api::GraphDeployment{object.root()}, row.workloads);
    std::string found = way.pathway == render::Pathway::kGrove ? "grove" : "components";
    if (way.avoids_grove) found += " avoids";
    if (way.leaves_grove) found += " leaves";
    EXPECT_EQ(found, row.expected) << row.metadata << row.status;
  }
}

}  // namespace
}  // namespace dynamo::reconciler::graph
