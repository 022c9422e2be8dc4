// Reconciles at the time slot of an object's admission record.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "reconciler/engine/resources.hpp"
#include "reconciler/validation/reconciler.hpp"
#include "tests/reconciler/reconcile_fixture.hpp"

namespace dynamo::reconciler::validation {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class RecordTurnsTest : public test::ReconcileTest {
 protected:
  void SetUp() override {
    put();
    watch(reconciler_);
    const kube::ReconcileResult first = run_reconcile();
    ASSERT_EQ(first.kind, kube::ReconcileResult::Kind::kRequeue);
    ASSERT_TRUE(first.is_timer_only);
    ASSERT_EQ(conditions(), 1U);
    ASSERT_FALSE(has_record());
    // Another client removes the verdict, so an evaluation would write it again.
    cluster_.merge(graphs_, "team-a", "g", R"({"status":{"conditions":[]}})", "another");
    clock_.tick(first.pause);
    context_->timer_wakeup = true;
  }
  void put() {
    cluster_.put(graphs_, R"({"metadata":{"name":"g","namespace":"team-a"},"spec":)"
                          R"({"backendFramework":"vllm","services":{"Decode":)"
                          R"({"componentType":"worker","replicas":1,"extraPodSpec":)"
                          R"({"mainContainer":{"image":"a"}}}}}})");
  }
  kube::ReconcileResult run_reconcile() {
    cache_->show();
    return reconcile(reconciler_, {.namespace_name = "team-a", .name = "g"});
  }
  void a_verdict_is_written() { pace_->note_verdict(clock_.monotonic()); }
  std::size_t conditions() const { return graph().root()["status"]["conditions"].size(); }
  bool has_record() const {
    return graph().root()["metadata"]["annotations"][kRecordAnnotation].exists();
  }
  kube::Object graph() const { return cluster_.find(graphs_, "team-a", "g").value(); }

  const kube::Resource graphs_ = resource_of(api::Kind::kGraphDeployment);
  ClusterState cluster_state_{clock_};
  const std::shared_ptr<RecordPace> pace_ = std::make_shared<RecordPace>(milliseconds(20));
  ValidationReconciler reconciler_{
      api::Kind::kGraphDeployment, {.mode = Mode::kCompanion}, cluster_state_, pace_};
};

TEST_F(RecordTurnsTest, RecordIsWrittenWithoutPendingVerdicts) {
  EXPECT_EQ(run_reconcile().kind, kube::ReconcileResult::Kind::kDone);
  EXPECT_TRUE(has_record());
}

TEST_F(RecordTurnsTest, RecordSlotDoesNotReevaluateDuringVerdicts) {
  a_verdict_is_written();
  const std::size_t before = writes();
  const kube::ReconcileResult result = run_reconcile();
  EXPECT_EQ(result.kind, kube::ReconcileResult::Kind::kRequeue);
  EXPECT_TRUE(result.is_timer_only);
  EXPECT_GE(result.pause, seconds(1));
  EXPECT_EQ(writes(), before);
  clock_.tick(result.pause);
  run_reconcile();
  EXPECT_TRUE(has_record());
}

TEST_F(RecordTurnsTest, OtherTriggersAreHandledDuringVerdicts) {
  a_verdict_is_written();
  context_->timer_wakeup = false;
  run_reconcile();
  EXPECT_EQ(conditions(), 1U);
  EXPECT_FALSE(has_record());
}

// The pending record is forgotten, so nothing holds the reconcile up.
TEST_F(RecordTurnsTest, MissedChangeIsEvaluatedDuringVerdicts) {
  a_verdict_is_written();
  context_->missed.keys.insert({.namespace_name = "team-a", .name = "g"});
  run_reconcile();
  EXPECT_EQ(conditions(), 1U);
}

TEST_F(RecordTurnsTest, TooManyMissedChangesForgetAllRecords) {
  a_verdict_is_written();
  context_->missed.is_of_any_key = true;
  run_reconcile();
  EXPECT_EQ(conditions(), 1U);
}

TEST_F(RecordTurnsTest, RecreatedObjectIsEvaluatedDuringVerdicts) {
  cluster_.erase(graphs_, "team-a", "g");
  put();
  a_verdict_is_written();
  run_reconcile();
  EXPECT_EQ(conditions(), 1U);
}

}  // namespace
}  // namespace dynamo::reconciler::validation
