// Each event is emitted once, whatever happens to the status write that it reports.
#include "reconciler/engine/event_deduplicator.hpp"

#include <memory>
#include <string>

#include "kube/object/conditions.hpp"
#include "reconciler/engine/resources.hpp"
#include "reconciler/validation/reconciler.hpp"
#include "tests/reconciler/reconcile_fixture.hpp"

namespace dynamo::reconciler {
namespace {

using kube::ReconcileResult;
using test::Fault;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const kube::ObjectKey kKey{.namespace_name = "team-a", .name = "g"};
constexpr const char* kFailed = "Warning ValidationFailed on DynamoGraphDeployment/g";
constexpr const char* kPassed = "Normal ValidationPassed on DynamoGraphDeployment/g";
constexpr const char* kGood = R"({"Decode":{"componentType":"worker","replicas":1,)"
                              R"("extraPodSpec":{"mainContainer":{"image":"a"}}}})";
constexpr std::size_t kForEver = 1'000;

// A graph that the rules refuse.
class EventDeduplicatorTest : public test::ReconcileTest {
 protected:
  void SetUp() override {
    put("{}");
    watch(reconciler_);
  }
  void put(const std::string& services) {
    cluster_.put(graphs_, R"({"metadata":{"name":"g","namespace":"team-a"},"spec":)"
                          R"({"backendFramework":"vllm","services":)" +
                              services + "}}");
  }
  void fail_status(const Fault& fault, std::size_t times) {
    cluster_.fail({.method = kube::HttpMethod::kPatch, .path = "/dynamographdeployments/g/status"},
                  fault, times);
  }
  ReconcileResult::Kind run_reconcile() {
    cache_->show();
    return reconcile(reconciler_, kKey).kind;
  }
  bool is_reported_by_condition() const {
    const auto graph = cluster_.find(graphs_, "team-a", "g");
    const auto conditions = kube::Conditions::read(graph->root()["status"]["conditions"]);
    return conditions.find(validation::kOwnCondition) != nullptr;
  }

  const kube::Resource graphs_ = resource_of(api::Kind::kGraphDeployment);
  ClusterState cluster_state_{clock_};
  validation::ValidationReconciler reconciler_{
      api::Kind::kGraphDeployment,
      {},
      cluster_state_,
      std::make_shared<validation::RecordPace>(std::chrono::milliseconds(0))};
};

TEST_F(EventDeduplicatorTest, LostAnswerEmitsOneEvent) {
  fail_status({.kind = Fault::Kind::kLostAnswer}, 1);
  EXPECT_EQ(run_reconcile(), ReconcileResult::Kind::kRetry);
  EXPECT_TRUE(is_reported_by_condition());
  EXPECT_EQ(run_reconcile(), ReconcileResult::Kind::kDone);
  run_reconcile();
  EXPECT_THAT(take_events(), ElementsAre(kFailed));
}

TEST_F(EventDeduplicatorTest, RefusedStatusEmitsOneEventPerGeneration) {
  fail_status({.kind = Fault::Kind::kStatus, .status = 422, .reason = "Invalid"}, kForEver);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(run_reconcile(), ReconcileResult::Kind::kRetry);
  EXPECT_FALSE(is_reported_by_condition());
  EXPECT_THAT(take_events(), ElementsAre(kFailed));
  cluster_.merge(graphs_, "team-a", "g", R"({"spec":{"backendFramework":"sglang"}})");
  for (int i = 0; i < 4; ++i) run_reconcile();
  EXPECT_THAT(take_events(), ElementsAre(kFailed)) << "once per generation";
}

TEST_F(EventDeduplicatorTest, DelayedStatusWriteDoesNotRepeatTheEvent) {
  fail_status({.kind = Fault::Kind::kStatus, .status = 403, .reason = "Forbidden"}, 2);
  for (int i = 0; i < 4; ++i) run_reconcile();
  EXPECT_TRUE(is_reported_by_condition());
  EXPECT_THAT(take_events(), ElementsAre(kFailed));
  put(kGood);
  run_reconcile();
  EXPECT_THAT(take_events(), ElementsAre(kPassed));
}

TEST_F(EventDeduplicatorTest, ConflictDelaysTheEvent) {
  fail_status({.kind = Fault::Kind::kStatus, .status = 409, .reason = "Conflict"}, 1);
  EXPECT_EQ(run_reconcile(), ReconcileResult::Kind::kRequeue);
  EXPECT_THAT(take_events(), IsEmpty());
  run_reconcile();
  run_reconcile();
  EXPECT_THAT(take_events(), ElementsAre(kFailed));
}

TEST_F(EventDeduplicatorTest, PendingEventIsEmittedAfterRegainingLeadership) {
  context_->actions_left = 1;
  run_reconcile();
  ASSERT_TRUE(is_reported_by_condition());
  ASSERT_THAT(take_events(), IsEmpty());
  context_->actions_left.reset();
  context_->leads = true;
  run_reconcile();
  run_reconcile();
  EXPECT_THAT(take_events(), ElementsAre(kFailed));
}

TEST_F(EventDeduplicatorTest, PendingEventOfPastGenerationIsDropped) {
  context_->actions_left = 1;
  run_reconcile();
  ASSERT_THAT(take_events(), IsEmpty());
  context_->actions_left.reset();
  context_->leads = true;
  cluster_.merge(graphs_, "team-a", "g",
                 std::string(R"({"spec":{"services":)").append(kGood).append("}}"));
  run_reconcile();
  run_reconcile();
  EXPECT_THAT(take_events(), ElementsAre(kPassed));
}

}  // namespace
}  // namespace dynamo::reconciler
