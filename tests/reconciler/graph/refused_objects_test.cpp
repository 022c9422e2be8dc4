// The API server refuses one owned object, because of a webhook or a quota: which other work
// continues, and what is reported.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "kube/conditions.hpp"
#include "reconciler/component/plan.hpp"
#include "reconciler/desired/kinds.hpp"
#include "reconciler/graph/plan.hpp"
#include "tests/reconciler/graph/planning.hpp"
#include "tests/reconciler/graph/room.hpp"

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

void refuse(Room& room, const std::string& path) {
  room.cluster.fail({.verb = kube::Verb::kPatch, .path = path},
                    {.kind = Fault::Kind::kStatus, .status = 403, .reason = "Forbidden"}, kMany);
}

std::string scaled(const std::string& image = "a:1") {
  return R"({"componentType":"worker","replicas":1,"scalingAdapter":{"enabled":true},)"
         R"("extraPodSpec":{"mainContainer":{"image":")" +
         image + R"("}}})";
}

// A quota that equals the number of components would never admit the new one otherwise.
TEST(RefusedObjects, RemovedComponentIsDeletedThoughReplacementIsRefused) {
  Room room;
  room.put_graph(R"({"Front":)" + Room::service("frontend") + R"(,"Old":)" + scaled() + "}");
  room.begin();
  room.settle();
  ASSERT_THAT(room.names(kAdapters), ElementsAre("g-old"));
  refuse(room, "/dynamocomponentdeployments/g-new");
  room.cluster.merge(kGraphs, kSpace, "g",
                     R"({"spec":{"services":{"Old":null,"New":)" + Room::service("worker") + "}}}");
  room.context->events.clear();
  EXPECT_EQ(room.look_at_graph().kind, ReconcileResult::Kind::kRetry);
  room.look_at_component("g-old");  // removes its finalizer
  EXPECT_THAT(room.names(kComponents), ElementsAre("g-front"));
  EXPECT_THAT(room.names(kAdapters), IsEmpty());
  EXPECT_THAT(room.context->events, Contains("Normal AdapterDeleted on DynamoGraphDeployment/g"));
  EXPECT_THAT(
      room.context->events,
      Contains("Normal DeleteDynamoComponentDeployment on DynamoComponentDeployment/g-old"));
  EXPECT_THAT(room.condition_text(kGraphs, "g", "Ready"), HasSubstr("g-new"));
}

// Running pods may still need it.
TEST(RefusedObjects, RunningPodsKeepTheirObjects) {
  Room room;
  room.put_usual();
  room.begin();
  room.settle();
  refuse(room, "/deployments/g-front");
  room.cluster.merge(kComponents, kSpace, "g-front",
                     R"({"spec":{"componentType":"worker","replicas":2}})");
  room.context->events.clear();
  room.look_at_component("g-front");
  EXPECT_THAT(room.names(kube::kServices), Contains("g-front"));
  EXPECT_THAT(room.context->events, Not(Contains(HasSubstr("Delete"))));
}

TEST(RefusedObjects, EverySuccessfulWriteIsReported) {
  Room room;
  room.put_usual();
  room.begin();
  refuse(room, "/dynamocomponentdeployments/g-front");
  room.look_at_graph();
  EXPECT_THAT(
      room.context->events,
      Contains("Normal CreateDynamoComponentDeployment on DynamoComponentDeployment/g-work"));
  EXPECT_THAT(room.context->events, Not(Contains(HasSubstr("CreateDynamoComponentDeployment on "
                                                           "DynamoComponentDeployment/g-front"))));
  room.context->events.clear();
  room.context->notes.clear();
  room.cluster.merge(kGraphs, kSpace, "g",
                     R"({"spec":{"services":{"Front":)" + Room::service("frontend", "a:2") +
                         R"(,"Work":)" + Room::service("worker", "a:2") + "}}}");
  room.look_at_graph();
  EXPECT_THAT(room.context->events, Contains("Normal ServiceChanged on DynamoGraphDeployment/g"));
  EXPECT_THAT(room.context->notes, Contains(HasSubstr("Service Work: ")));
  EXPECT_THAT(room.context->notes, Not(Contains(HasSubstr("Service Front: "))));
}

// --- Names that differ only by case.

TEST(ServicesOfOneName, SharedNameHasOneAdapter) {
  for (const bool first : {true, false}) {
    Room room;
    room.put_graph(R"({"Decode":)" + (first ? scaled() : Room::service("worker")) +
                   R"(,"decode":)" + (first ? Room::service("worker") : scaled()) + "}");
    room.begin();
    room.look_at_graph();
    EXPECT_THAT(room.names(kAdapters), ElementsAre("g-decode")) << first;
    room.settle();
    const std::size_t before = room.writes();
    room.look_at_graph();
    room.look_at_graph();
    EXPECT_EQ(room.writes(), before) << first;
    EXPECT_THAT(room.names(kAdapters), ElementsAre("g-decode")) << first;
  }
}

// --- Status while an owned object is refused.

TEST(RefusedObjects, FixedComponentIsReportedValidOnce) {
  Room room;
  room.put_usual();
  room.begin();
  room.look_at_graph();
  room.cluster.merge(kComponents, kSpace, "g-work",
                     R"({"status":{"conditions":[{"type":"Valid","status":"False","reason":)"
                     R"("ValidationFailed","message":"m","observedGeneration":0}]}})");
  refuse(room, "/deployments/g-work");
  for (int i = 0; i < 3; ++i) room.look_at_component("g-work");
  EXPECT_THAT(room.condition_text(kComponents, "g-work", "Valid"), HasSubstr("ValidationPassed"));
  EXPECT_THAT(room.condition_text(kComponents, "g-work", "Available"), HasSubstr("Reconciling: "));
  EXPECT_EQ(std::ranges::count(room.context->events,
                               "Normal ValidationPassed on DynamoComponentDeployment/g-work"),
            1);
}

TEST(RefusedObjects, InvalidComponentReportsOnlyItsInvalidity) {
  component::Observed observed = test::component("{kind: DynamoComponentDeployment}");
  observed.errors = {"spec.replicas: must not be negative"};
  const Plan failed = component::plan_after_failure(observed, "patch: Forbidden");
  EXPECT_EQ(test::condition(failed, "Valid"), "False ValidationFailed");
  EXPECT_EQ(test::condition(failed, "Available"), "");
  EXPECT_EQ(failed.ending, Ending::kRetry);
}

// The next successful plan emits its event.
TEST(RefusedObjects, ReadFailureKeepsPendingEvents) {
  component::Observed observed = test::component(
      "{kind: DynamoComponentDeployment, metadata: {name: w, namespace: ml, uid: u}, status: "
      "{conditions: [{type: "
      "Valid, status: 'False', reason: ValidationFailed}]}}");
  const Plan unread = component::plan_of_the_unread(observed, "get secrets: Forbidden");
  EXPECT_EQ(test::condition(unread, "Available"), "False Reconciling");
  EXPECT_NE(test::condition(unread, "Valid"), "True ValidationPassed");
  graph::Observed graph = test::graph(
      "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, metadata: {name: g, "
      "namespace: ml, uid: u, generation: 1}, spec: {services: {A: {componentType: worker}}}}");
  graph.stays_off_grove = true;
  EXPECT_EQ(test::condition(graph::plan_of_the_unread(graph, "timeout"), graph::kByGrove), "");
}

constexpr std::string_view kWithCheckpoint =
    "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, metadata: {name: g, namespace: "
    "ml, uid: u}, spec: {services: {A: {componentType: worker, checkpoint: {enabled: true, "
    "identity: {model: m, backendFramework: vllm}}}}}}";

TEST(RefusedObjects, CheckpointsAreReportedOnceTheyExist) {
  graph::Observed observed = test::graph(kWithCheckpoint);
  observed.environment.profile.discovery = render::Discovery::kEtcd;
  const Plan made = graph::plan(observed);
  ASSERT_THAT(test::words(made), Contains(HasSubstr("DynamoCheckpoint")));
  // The refused object may be the checkpoint.
  EXPECT_EQ(test::status(graph::plan_after_failure(observed, "quota"), "checkpoints"), "");
  const std::string checkpoints = test::status(made, "checkpoints");
  for (const std::string& word : test::words(made)) {
    if (!word.starts_with("apply DynamoCheckpoint")) continue;
    observed.seen.add(test::made(made, word, "c"));
  }
  EXPECT_EQ(test::status(graph::plan_after_failure(observed, "quota"), "checkpoints"), checkpoints);
  EXPECT_NE(checkpoints, "");
}

TEST(RefusedObjects, UnusedGroveIsReportedOnce) {
  graph::Observed observed = test::graph(
      "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, metadata: {name: g, "
      "namespace: ml, uid: u, generation: 1}, spec: {services: {A: {componentType: worker}}}}");
  observed.environment.profile.discovery = render::Discovery::kEtcd;
  observed.stays_off_grove = true;
  EXPECT_THAT(test::words(graph::plan(observed)),
              Contains("event GroveNotUsed DynamoGraphDeployment g"));
  const Plan failed = graph::plan_after_failure(observed, "quota");
  EXPECT_THAT(test::words(failed), Not(Contains(HasSubstr("GroveNotUsed"))));
  EXPECT_NE(test::condition(failed, graph::kByGrove), "");
}

}  // namespace
}  // namespace dynamo::reconciler
