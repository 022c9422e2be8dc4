// API calls that take over fields from the Go operator.
#include <string>
#include <vector>

#include "json/writer.hpp"
#include "tests/reconciler/graph/graph_fixture.hpp"

namespace dynamo::reconciler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The Deployment as created by the Go operator: with an additional field, and without our
// annotation.
void create_operator_objects(GraphFixture& fixture) {
  const auto made = fixture.cluster.find(kDeployments, kSpace, "g-work");
  std::string text = json::to_text(made->root());
  const std::size_t intent = text.find(R"("nvidia.com/last-applied-intent":)");
  text.erase(intent, text.find(',', intent) + 1 - intent);
  text.replace(text.find(R"(last-applied-hash":")") + 20, 64, std::string(64, '0'));
  text.insert(
      text.find(R"("metadata":{)") + 12,
      R"("managedFields":[{"manager":"manager","operation":"Update","apiVersion":"apps/v1",)"
      R"("fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:minReadySeconds":{}}}}],)");
  fixture.cluster.put(kDeployments, text);
  fixture.cluster.clear_calls();
}

std::vector<std::string> calls_for_deployments(const GraphFixture& fixture) {
  std::vector<std::string> calls;
  for (const test::Call& call : fixture.cluster.calls()) {
    const std::size_t at = call.target.find("/deployments");
    if (at == std::string::npos) continue;
    const bool is_patch = call.method == kube::HttpMethod::kPatch;
    calls.push_back((is_patch ? call.content_type : "get") + " " +
                    call.target.substr(at, call.target.find('&') - at));
  }
  return calls;
}

TEST(TakeOverReconcile, GoOperatorFieldsAreTakenOverBeforeApply) {
  GraphFixture fixture;
  fixture.start_with_default_graph();
  fixture.settle();
  create_operator_objects(fixture);
  EXPECT_EQ(fixture.reconcile_component("g-work").kind, ReconcileResult::Kind::kDone);
  EXPECT_THAT(
      calls_for_deployments(fixture),
      ElementsAre(
          "get /deployments?fieldSelector=metadata.name%3Dg-work",
          "application/json-patch+json /deployments/g-work?fieldManager=dynamo-reconciler-test",
          "application/apply-patch+yaml /deployments/g-work?fieldManager=dynamo-reconciler-test"));
  const auto left = fixture.cluster.find(kDeployments, kSpace, "g-work");
  EXPECT_EQ(json::to_text(left->root()["metadata"]["managedFields"]),
            R"([{"manager":"dynamo-reconciler-test","operation":"Apply","apiVersion":"apps/v1",)"
            R"("fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:minReadySeconds":{}}}}])");
  fixture.settle();
  fixture.cluster.clear_calls();
  fixture.reconcile_component("g-work");
  EXPECT_THAT(calls_for_deployments(fixture), IsEmpty());
}

// Another client writes between our read of the fields and our patch.
TEST(TakeOverReconcile, ConcurrentlySetFieldsAreNotTakenOver) {
  GraphFixture fixture;
  fixture.start_with_default_graph();
  fixture.settle();
  create_operator_objects(fixture);
  fixture.cache->show();
  fixture.cluster.before({.method = kube::HttpMethod::kPatch, .path = "/deployments/g-work"},
                         [&fixture] {
                           fixture.cluster.merge(kDeployments, kSpace, "g-work",
                                                 R"({"spec":{"revisionHistoryLimit":3}})");
                         });
  EXPECT_EQ(
      test::run(fixture.loop, fixture.components->reconcile(key("g-work"), *fixture.context)).kind,
      ReconcileResult::Kind::kRequeue);
  EXPECT_THAT(calls_for_deployments(fixture), SizeIs(2)) << "and nothing is applied";
  fixture.settle();
  const auto left = fixture.cluster.find(kDeployments, kSpace, "g-work");
  EXPECT_EQ(left->root()["spec"]["revisionHistoryLimit"].integer(), 3);
}

TEST(TakeOverReconcile, NothingIsTakenOverAfterLosingLeadership) {
  GraphFixture fixture;
  fixture.start_with_default_graph();
  fixture.settle();
  create_operator_objects(fixture);
  fixture.context->actions_left = 0;
  fixture.reconcile_component("g-work");
  EXPECT_THAT(calls_for_deployments(fixture),
              ElementsAre("get /deployments?fieldSelector=metadata.name%3Dg-work"));
}

}  // namespace
}  // namespace dynamo::reconciler
