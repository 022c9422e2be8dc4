// Graphs and components whose caches omit objects: an object that is not cached may exist.
#include <string>

#include "desired/kinds.hpp"
#include "tests/reconciler/graph/graph_fixture.hpp"

namespace dynamo::reconciler {
namespace {

using test::Fault;
using ::testing::HasSubstr;
using ::testing::Not;

const kube::Resource& claims() {
  return find_managed_kind("PersistentVolumeClaim")->resource;
}

TEST(UncachedObjects, UncachedObjectsAreReadBeforeCreation) {
  GraphFixture fixture;
  fixture.start_with_default_graph();
  fixture.settle();
  ASSERT_EQ(fixture.state(), "successful");
  const std::size_t before = fixture.writes();
  fixture.left_out = {"dynamocomponentdeployments", "serviceaccounts", "roles", "rolebindings"};
  fixture.start_process();
  fixture.reconcile_graph();
  EXPECT_EQ(fixture.writes(), before);
  EXPECT_EQ(fixture.state(), "successful");
  fixture.left_out = {"deployments", "services"};
  fixture.start_process();
  fixture.reconcile_component("g-work");
  EXPECT_EQ(fixture.writes(), before);
  fixture.cluster.erase(kDeployments, kSpace, "g-work");
  fixture.reconcile_component("g-work");
  EXPECT_GT(fixture.writes(), before) << "what the server has not is made";
}

TEST(UncachedObjects, UnreadableObjectIsReportedAndNotWritten) {
  GraphFixture fixture;
  fixture.start_with_default_graph();
  fixture.settle();
  const std::string deep =
      R"({"metadata":{"resourceVersion":"1"},"items":[{"metadata":{},"spec":)" +
      std::string(500, '[') + std::string(500, ']') + "}]}";
  fixture.left_out = {"dynamocomponentdeployments"};
  fixture.start_process();
  fixture.cluster.fail({.path = "/dynamocomponentdeployments?fieldSelector"},
                       {.kind = Fault::Kind::kBody, .body = deep});
  fixture.cluster.clear_calls();
  EXPECT_EQ(fixture.reconcile_graph().kind, ReconcileResult::Kind::kRetry);
  EXPECT_THAT(fixture.condition_text(kGraphs, "g", "Ready"),
              HasSubstr("DynamoComponentDeployment g-front"));
  EXPECT_THAT(fixture.condition_text(kGraphs, "g", "Ready"),
              HasSubstr("nested deeper than 128 levels"));
  EXPECT_EQ(fixture.writes(), 1U) << "the status";
}

TEST(UncachedObjects, UncachedClaimIsReadBeforeReportedMissing) {
  GraphFixture fixture;
  fixture.left_out = {"persistentvolumeclaims"};
  fixture.put_graph(R"({"Work":)" + GraphFixture::service("worker") + "}", "g",
                    R"("pvcs":[{"name":"data"}],)");
  fixture.start_process();
  fixture.reconcile_graph();
  EXPECT_THAT(fixture.condition_text(kGraphs, "g", "Ready"),
              HasSubstr("PersistentVolumeClaim data must exist"));
  fixture.cluster.put(claims(), R"({"metadata":{"name":"data","namespace":"ml"}})");
  fixture.reconcile_graph();
  EXPECT_THAT(fixture.condition_text(kGraphs, "g", "Ready"), Not(HasSubstr("must exist")));
  EXPECT_TRUE(fixture.cluster.find(kComponents, kSpace, "g-work"));
}

TEST(UncachedObjects, UncachedReferenceIsReadBeforeReportedMissing) {
  GraphFixture fixture;
  fixture.left_out = {"persistentvolumeclaims"};
  fixture.put_graph(R"({"Work":{"componentType":"worker","extraPodSpec":{"mainContainer":)"
                    R"({"image":"a:1"},"volumes":[{"name":"p","persistentVolumeClaim":)"
                    R"({"claimName":"data"}}]}}})");
  fixture.cluster.put(claims(), R"({"metadata":{"name":"data","namespace":"ml"}})");
  fixture.start_process();
  fixture.reconcile_all();
  fixture.reconcile_all();
  fixture.cluster.merge(kDeployments, kSpace, "g-work",
                        R"({"status":{"observedGeneration":9,"replicas":1,"updatedReplicas":1,)"
                        R"("unavailableReplicas":1}})",
                        "kube-controller-manager");
  fixture.reconcile_component("g-work");
  fixture.clock.tick(std::chrono::seconds(31));
  fixture.reconcile_component("g-work");
  EXPECT_THAT(fixture.condition_text(kComponents, "g-work", "Available"),
              HasSubstr("DeploymentNotReady"));
  fixture.cluster.erase(claims(), kSpace, "data");
  fixture.clock.tick(std::chrono::seconds(61));
  fixture.reconcile_component("g-work");
  EXPECT_THAT(fixture.condition_text(kComponents, "g-work", "Available"),
              HasSubstr("ObjectMissing"));
}

}  // namespace
}  // namespace dynamo::reconciler
