// The checkpoint controller against an in-memory API server.
#include "reconciler/checkpoint/reconciler.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include "reconciler/checkpoint/plan.hpp"
#include "tests/reconciler/reconcile_fixture.hpp"

namespace dynamo::reconciler::checkpoint {
namespace {

using kube::ReconcileResult;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr kube::Resource kJobs{"batch", "v1", "jobs", "Job"};
const kube::ObjectKey kKey{.namespace_name = "team-a", .name = "warm"};

class CheckpointTest : public test::ReconcileTest {
 protected:
  void SetUp() override {
    put_checkpoint("warm");
    watch(reconciler_);
  }

  static RenderSettings settings() {
    RenderSettings made;
    made.environment.profile = render::default_operator_profile();
    return made;
  }
  void put_checkpoint(const std::string& name) {
    cluster_.put(kCheckpoints,
                 R"({"metadata":{"name":")" + name +
                     R"(","namespace":"team-a","generation":1},"spec":{"identity":)"
                     R"({"model":"m","backendFramework":"vllm"},"job":{"podTemplateSpec":)"
                     R"({"spec":{"containers":[{"name":"main","image":"i"}]}}}}})");
  }
  ReconcileResult run_reconcile() {
    cache_->show();
    return reconcile(reconciler_, kKey);
  }
  void settle() {
    for (int i = 0; i < 10; ++i) {
      const std::size_t before = writes();
      const ReconcileResult result = run_reconcile();
      if (result.kind != ReconcileResult::Kind::kRetry && writes() == before) return;
    }
    FAIL() << "ten reconciles did not settle it";
  }
  void end_job(const std::string& status) {
    cluster_.merge(kJobs, "team-a", "checkpoint-warm", R"({"status":)" + status + "}", "jobs");
  }
  std::string in_status(std::string_view field) const {
    const auto found = cluster_.find(kCheckpoints, "team-a", "warm");
    return std::string(found->root()["status"][field].string_or_empty());
  }

  ClusterState cluster_state_{clock_};
  CheckpointReconciler reconciler_{settings(), cluster_state_};
};

TEST_F(CheckpointTest, CheckpointBecomesReadyAndThenCausesNoWrites) {
  settle();
  EXPECT_EQ(in_status("phase"), "Creating");
  EXPECT_EQ(in_status("identityHash"), "cfb060f4d0539cab");
  EXPECT_THAT(take_events(), ElementsAre("Normal CreateJob on Job/checkpoint-warm"));
  end_job(R"({"succeeded":1})");
  settle();
  EXPECT_EQ(in_status("phase"), "Ready");
  EXPECT_THAT(take_events(), ElementsAre("Normal CheckpointReady on DynamoCheckpoint/warm"));
  cluster_.clear_calls();
  EXPECT_EQ(run_reconcile().kind, ReconcileResult::Kind::kDone);
  EXPECT_EQ(writes(), 0U);
}

TEST_F(CheckpointTest, CrashAfterEachActionLeavesOneJob) {
  for (std::size_t crash = 0; crash < 6; ++crash) {
    context_->actions_left = crash;
    run_reconcile();
    context_->actions_left.reset();
    context_->leads = true;
  }
  settle();
  EXPECT_EQ(in_status("phase"), "Creating");
  EXPECT_EQ(cluster_.all(kJobs).size(), 1U);
}

TEST_F(CheckpointTest, RetryReplacesTheFailedJob) {
  settle();
  const std::string first(cluster_.find(kJobs, "team-a", "checkpoint-warm")->uid());
  end_job(R"({"conditions":[{"type":"Failed","status":"True","reason":"DeadlineExceeded"}]})");
  settle();
  EXPECT_EQ(in_status("phase"), "Failed");
  EXPECT_THAT(in_status("message"), HasSubstr("DeadlineExceeded"));
  cluster_.merge(kCheckpoints, "team-a", "warm",
                 R"({"metadata":{"annotations":{"nvidia.com/retry":"again"}}})", "user");
  settle();
  EXPECT_EQ(in_status("phase"), "Creating");
  EXPECT_NE(cluster_.find(kJobs, "team-a", "checkpoint-warm")->uid(), first);
}

// As after a restart: the cache of Jobs is behind that of checkpoints.
TEST_F(CheckpointTest, RetryIgnoresCachedJobOfEarlierAttempt) {
  settle();
  end_job(R"({"conditions":[{"type":"Failed","status":"True","reason":"DeadlineExceeded"}]})");
  settle();
  cluster_.merge(kCheckpoints, "team-a", "warm",
                 R"({"metadata":{"annotations":{"nvidia.com/retry":"again"}}})", "user");
  run_reconcile();
  ASSERT_EQ(in_status("phase"), "Pending");
  for (int i = 0; i < 2; ++i) {
    cache_->show(kCheckpoints);
    reconcile(reconciler_, kKey);
    EXPECT_EQ(in_status("phase"), "Creating");
    EXPECT_EQ(cluster_.all(kJobs).size(), 1U);
  }
}

TEST_F(CheckpointTest, UncachedJobIsNotReportedDeleted) {
  run_reconcile();
  run_reconcile();
  ASSERT_EQ(in_status("phase"), "Creating");
  cache_->show(kCheckpoints);
  reconcile(reconciler_, kKey);
  EXPECT_EQ(in_status("phase"), "Creating");
}

TEST_F(CheckpointTest, IgnoredEditIsReportedOnce) {
  settle();
  end_job(R"({"active":1})");
  take_events();
  cluster_.merge(kCheckpoints, "team-a", "warm", R"({"spec":{"identity":{"model":"other"}}})",
                 "user");
  run_reconcile();
  EXPECT_THAT(take_events(), ElementsAre("Warning SpecChangeIgnored on DynamoCheckpoint/warm"));
  run_reconcile();
  EXPECT_THAT(take_events(), IsEmpty());
}

TEST_F(CheckpointTest, ExcludedNamespaceGetsNoJob) {
  cluster_state_.excluded_namespaces = {"team-a"};
  settle();
  EXPECT_EQ(in_status("phase"), "Pending");
  EXPECT_THAT(in_status("message"), HasSubstr("must not be excluded"));
  EXPECT_THAT(cluster_.all(kJobs), IsEmpty());
  EXPECT_THAT(take_events(), ElementsAre("Warning ValidationFailed on DynamoCheckpoint/warm"));
}

TEST_F(CheckpointTest, DeletionOfForeignJobWakesTheWaitingCheckpoint) {
  cache_->show();
  const auto gone =
      kube::Object::parse(
          R"({"kind":"Job","metadata":{"name":"checkpoint-warm","namespace":"team-a"}})")
          .value();
  std::vector<kube::ObjectKey> keys;
  const kube::ObjectKey job_key{.namespace_name = "team-a", .name = "checkpoint-warm"};
  reconciler_.map_to_requests(kJobs, {.key = job_key, .before = &gone, .now = nullptr}, *cache_,
                              keys);
  EXPECT_THAT(keys, ElementsAre(kKey));
}

}  // namespace
}  // namespace dynamo::reconciler::checkpoint
