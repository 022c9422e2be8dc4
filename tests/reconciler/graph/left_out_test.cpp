// Graphs and components whose caches omit objects: an object that is not cached may exist.
#include <string>

#include "reconciler/desired/kinds.hpp"
#include "tests/reconciler/graph/room.hpp"

namespace dynamo::reconciler {
namespace {

using test::Fault;
using ::testing::HasSubstr;
using ::testing::Not;

const kube::Resource& claims() {
  return find_managed_kind("PersistentVolumeClaim")->resource;
}

TEST(LeftOut, UncachedObjectsAreReadBeforeCreation) {
  Room room;
  room.put_usual();
  room.begin();
  room.settle();
  ASSERT_EQ(room.state(), "successful");
  const std::size_t before = room.writes();
  room.left_out = {"dynamocomponentdeployments", "serviceaccounts", "roles", "rolebindings"};
  room.begin();
  room.look_at_graph();
  EXPECT_EQ(room.writes(), before);
  EXPECT_EQ(room.state(), "successful");
  room.left_out = {"deployments", "services"};
  room.begin();
  room.look_at_component("g-work");
  EXPECT_EQ(room.writes(), before);
  room.cluster.erase(kDeployments, kSpace, "g-work");
  room.look_at_component("g-work");
  EXPECT_GT(room.writes(), before) << "what the server has not is made";
}

TEST(LeftOut, UnreadableObjectIsReportedAndNotWritten) {
  Room room;
  room.put_usual();
  room.begin();
  room.settle();
  const std::string deep =
      R"({"metadata":{"resourceVersion":"1"},"items":[{"metadata":{},"spec":)" +
      std::string(500, '[') + std::string(500, ']') + "}]}";
  room.left_out = {"dynamocomponentdeployments"};
  room.begin();
  room.cluster.fail({.path = "/dynamocomponentdeployments?fieldSelector"},
                    {.kind = Fault::Kind::kBody, .body = deep});
  room.cluster.clear_calls();
  EXPECT_EQ(room.look_at_graph().kind, ReconcileResult::Kind::kRetry);
  EXPECT_THAT(room.condition_text(kGraphs, "g", "Ready"),
              HasSubstr("DynamoComponentDeployment g-front"));
  EXPECT_THAT(room.condition_text(kGraphs, "g", "Ready"),
              HasSubstr("nested deeper than 128 levels"));
  EXPECT_EQ(room.writes(), 1U) << "the status";
}

TEST(LeftOut, UncachedClaimIsReadBeforeReportedMissing) {
  Room room;
  room.left_out = {"persistentvolumeclaims"};
  room.put_graph(R"({"Work":)" + Room::service("worker") + "}", "g",
                 R"("pvcs":[{"name":"data"}],)");
  room.begin();
  room.look_at_graph();
  EXPECT_THAT(room.condition_text(kGraphs, "g", "Ready"),
              HasSubstr("PersistentVolumeClaim data must exist"));
  room.cluster.put(claims(), R"({"metadata":{"name":"data","namespace":"ml"}})");
  room.look_at_graph();
  EXPECT_THAT(room.condition_text(kGraphs, "g", "Ready"), Not(HasSubstr("must exist")));
  EXPECT_TRUE(room.cluster.find(kComponents, kSpace, "g-work"));
}

TEST(LeftOut, UncachedReferenceIsReadBeforeReportedMissing) {
  Room room;
  room.left_out = {"persistentvolumeclaims"};
  room.put_graph(R"({"Work":{"componentType":"worker","extraPodSpec":{"mainContainer":)"
                 R"({"image":"a:1"},"volumes":[{"name":"p","persistentVolumeClaim":)"
                 R"({"claimName":"data"}}]}}})");
  room.cluster.put(claims(), R"({"metadata":{"name":"data","namespace":"ml"}})");
  room.begin();
  room.round();
  room.round();
  room.cluster.merge(kDeployments, kSpace, "g-work",
                     R"({"status":{"observedGeneration":9,"replicas":1,"updatedReplicas":1,)"
                     R"("unavailableReplicas":1}})",
                     "kube-controller-manager");
  room.look_at_component("g-work");
  room.clock.tick(std::chrono::seconds(31));
  room.look_at_component("g-work");
  EXPECT_THAT(room.condition_text(kComponents, "g-work", "Available"),
              HasSubstr("DeploymentNotReady"));
  room.cluster.erase(claims(), kSpace, "data");
  room.clock.tick(std::chrono::seconds(61));
  room.look_at_component("g-work");
  EXPECT_THAT(room.condition_text(kComponents, "g-work", "Available"), HasSubstr("ObjectMissing"));
}

}  // namespace
}  // namespace dynamo::reconciler
