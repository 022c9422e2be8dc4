// The API server refuses one owned object, because of a webhook or a quota: which other work
// continues, and what is reported.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "desired/kinds.hpp"
#include "kube/object/conditions.hpp"
#include "reconciler/component/plan.hpp"
#include "reconciler/graph/plan.hpp"
#include "tests/reconciler/graph/graph_fixture.hpp"
#include "tests/reconciler/graph/plan_helpers.hpp"

namespace dynamo::reconciler {
namespace {

using test::Fault;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr kube::Resource kAdapters{"nvidia.com", kDynamoVersion,
                                   "dynamographdeploymentscalingadapters", kAdapterKind};
constexpr std::size_t kMany = 1'000;

void refuse(GraphFixture& fixture, const std::string& path) {
  fixture.cluster.fail({.method = kube::HttpMethod::kPatch, .path = path},
                       {.kind = Fault::Kind::kStatus, .status = 403, .reason = "Forbidden"}, kMany);
}

std::string scaled(const std::string& image = "a:1") {
  return R"({"componentType":"worker","replicas":1,"scalingAdapter":{"enabled":true},)"
         R"("extraPodSpec":{"mainContainer":{"image":")" +
         image + R"("}}})";
}

// A quota that equals the number of components would never admit the new one otherwise.
TEST(RefusedObjects, RemovedComponentIsDeletedThoughReplacementIsRefused) {
  GraphFixture fixture;
  fixture.put_graph(R"({"Front":)" + GraphFixture::service("frontend") + R"(,"Old":)" + scaled() +
                    "}");
  fixture.start_process();
  fixture.settle();
  ASSERT_THAT(fixture.names(kAdapters), ElementsAre("g-old"));
  refuse(fixture, "/dynamocomponentdeployments/g-new");
  fixture.cluster.merge(
      kGraphs, kSpace, "g",
      R"({"spec":{"services":{"Old":null,"New":)" + GraphFixture::service("worker") + "}}}");
  fixture.context->events.clear();
  EXPECT_EQ(fixture.reconcile_graph().kind, ReconcileResult::Kind::kRetry);
  fixture.reconcile_component("g-old");  // removes its finalizer
  EXPECT_THAT(fixture.names(kComponents), ElementsAre("g-front"));
  EXPECT_THAT(fixture.names(kAdapters), IsEmpty());
  EXPECT_THAT(fixture.context->events,
              Contains("Normal AdapterDeleted on DynamoGraphDeployment/g"));
  EXPECT_THAT(
      fixture.context->events,
      Contains("Normal DeleteDynamoComponentDeployment on DynamoComponentDeployment/g-old"));
  EXPECT_THAT(fixture.condition_text(kGraphs, "g", "Ready"), HasSubstr("g-new"));
}

// Running pods may still need it.
TEST(RefusedObjects, RunningPodsKeepTheirObjects) {
  GraphFixture fixture;
  fixture.start_with_default_graph();
  fixture.settle();
  refuse(fixture, "/deployments/g-front");
  fixture.cluster.merge(kComponents, kSpace, "g-front",
                        R"({"spec":{"componentType":"worker","replicas":2}})");
  fixture.context->events.clear();
  fixture.reconcile_component("g-front");
  EXPECT_THAT(fixture.names(kube::kServices), Contains("g-front"));
  EXPECT_THAT(fixture.context->events, Not(Contains(HasSubstr("Delete"))));
}

TEST(RefusedObjects, EverySuccessfulWriteIsReported) {
  GraphFixture fixture;
  fixture.start_with_default_graph();
  refuse(fixture, "/dynamocomponentdeployments/g-front");
  fixture.reconcile_graph();
  EXPECT_THAT(
      fixture.context->events,
      Contains("Normal CreateDynamoComponentDeployment on DynamoComponentDeployment/g-work"));
  EXPECT_THAT(fixture.context->events,
              Not(Contains(HasSubstr("CreateDynamoComponentDeployment on "
                                     "DynamoComponentDeployment/g-front"))));
  fixture.context->events.clear();
  fixture.context->notes.clear();
  fixture.cluster.merge(kGraphs, kSpace, "g",
                        R"({"spec":{"services":{"Front":)" +
                            GraphFixture::service("frontend", "a:2") + R"(,"Work":)" +
                            GraphFixture::service("worker", "a:2") + "}}}");
  fixture.reconcile_graph();
  EXPECT_THAT(fixture.context->events,
              Contains("Normal ServiceChanged on DynamoGraphDeployment/g"));
  EXPECT_THAT(fixture.context->notes, Contains(HasSubstr("Service Work: ")));
  EXPECT_THAT(fixture.context->notes, Not(Contains(HasSubstr("Service Front: "))));
}

// --- Names that differ only by case.

TEST(SharedServiceName, SharedNameHasOneAdapter) {
  for (const bool first : {true, false}) {
    GraphFixture fixture;
    fixture.put_graph(R"({"Decode":)" + (first ? scaled() : GraphFixture::service("worker")) +
                      R"(,"decode":)" + (first ? GraphFixture::service("worker") : scaled()) + "}");
    fixture.start_process();
    fixture.reconcile_graph();
    EXPECT_THAT(fixture.names(kAdapters), ElementsAre("g-decode")) << first;
    fixture.settle();
    const std::size_t before = fixture.writes();
    fixture.reconcile_graph();
    fixture.reconcile_graph();
    EXPECT_EQ(fixture.writes(), before) << first;
    EXPECT_THAT(fixture.names(kAdapters), ElementsAre("g-decode")) << first;
  }
}

// --- Status while an owned object is refused.

TEST(RefusedObjects, FixedComponentIsReportedValidOnce) {
  GraphFixture fixture;
  fixture.start_with_default_graph();
  fixture.reconcile_graph();
  fixture.cluster.merge(kComponents, kSpace, "g-work",
                        R"({"status":{"conditions":[{"type":"Valid","status":"False","reason":)"
                        R"("ValidationFailed","message":"m","observedGeneration":0}]}})");
  refuse(fixture, "/deployments/g-work");
  for (int i = 0; i < 3; ++i) fixture.reconcile_component("g-work");
  EXPECT_THAT(fixture.condition_text(kComponents, "g-work", "Valid"),
              HasSubstr("ValidationPassed"));
  EXPECT_THAT(fixture.condition_text(kComponents, "g-work", "Available"),
              HasSubstr("Reconciling: "));
  EXPECT_EQ(std::ranges::count(fixture.context->events,
                               "Normal ValidationPassed on DynamoComponentDeployment/g-work"),
            1);
}

TEST(RefusedObjects, InvalidComponentReportsOnlyItsInvalidity) {
  component::ObservedState observed = test::component("{kind: DynamoComponentDeployment}");
  observed.errors = {"spec.replicas: must not be negative"};
  const Plan failed = component::plan_after_failure(observed, "patch: Forbidden");
  EXPECT_EQ(test::condition(failed, "Valid"), "False ValidationFailed");
  EXPECT_EQ(test::condition(failed, "Available"), "");
  EXPECT_EQ(failed.outcome, PlanOutcome::kRetry);
}

// The next successful plan emits its event.
TEST(RefusedObjects, ReadFailureKeepsPendingEvents) {
  component::ObservedState observed = test::component(
      "{kind: DynamoComponentDeployment, metadata: {name: w, namespace: ml, uid: u}, status: "
      "{conditions: [{type: "
      "Valid, status: 'False', reason: ValidationFailed}]}}");
  const Plan unread = component::plan_after_read_failure(observed, "get secrets: Forbidden");
  EXPECT_EQ(test::condition(unread, "Available"), "False Reconciling");
  EXPECT_NE(test::condition(unread, "Valid"), "True ValidationPassed");
  graph::ObservedState graph = test::graph(
      "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, metadata: {name: g, "
      "namespace: ml, uid: u, generation: 1}, spec: {services: {A: {componentType: worker}}}}");
  graph.avoids_grove = true;
  EXPECT_EQ(test::condition(graph::plan_after_read_failure(graph, "timeout"), graph::kByGrove), "");
}

constexpr std::string_view kWithCheckpoint =
    "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, metadata: {name: g, namespace: "
    "ml, uid: u}, spec: {services: {A: {componentType: worker, checkpoint: {enabled: true, "
    "identity: {model: m, backendFramework: vllm}}}}}}";

TEST(RefusedObjects, CheckpointsAreReportedOnceTheyExist) {
  graph::ObservedState observed = test::graph(kWithCheckpoint);
  observed.environment.profile.discovery = render::DiscoveryBackend::kEtcd;
  const Plan made = graph::plan(observed);
  ASSERT_THAT(test::words(made), Contains(HasSubstr("DynamoCheckpoint")));
  // The refused object may be the checkpoint.
  EXPECT_EQ(test::status(graph::plan_after_failure(observed, "quota"), "checkpoints"), "");
  const std::string checkpoints = test::status(made, "checkpoints");
  for (const std::string& word : test::words(made)) {
    if (!word.starts_with("apply DynamoCheckpoint")) continue;
    observed.objects.add(test::made(made, word, "c"));
  }
  EXPECT_EQ(test::status(graph::plan_after_failure(observed, "quota"), "checkpoints"), checkpoints);
  EXPECT_NE(checkpoints, "");
}

TEST(RefusedObjects, UnusedGroveIsReportedOnce) {
  graph::ObservedState observed = test::graph(
      "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, metadata: {name: g, "
      "namespace: ml, uid: u, generation: 1}, spec: {services: {A: {componentType: worker}}}}");
  observed.environment.profile.discovery = render::DiscoveryBackend::kEtcd;
  observed.avoids_grove = true;
  EXPECT_THAT(test::words(graph::plan(observed)),
              Contains("event GroveNotUsed DynamoGraphDeployment g"));
  const Plan failed = graph::plan_after_failure(observed, "quota");
  EXPECT_THAT(test::words(failed), Not(Contains(HasSubstr("GroveNotUsed"))));
  EXPECT_NE(test::condition(failed, graph::kByGrove), "");
}

}  // namespace
}  // namespace dynamo::reconciler
