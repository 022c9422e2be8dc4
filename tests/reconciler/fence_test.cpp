// The permission of reconciles to act, and the changes that a replica misses without it.
#include "reconciler/engine/fence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/fake_clock.hpp"

namespace dynamo::reconciler {
namespace {

class FenceTest : public ::testing::Test {
 protected:
  test::FakeClock clock_;
  Scope scope_;
  const ClusterState cluster_state_{clock_};
  bool is_active_ = true;
  bool leads_ = true;
  Fence fence_{{.scope = scope_,
                .cluster_state = cluster_state_,
                .is_active = [this] { return is_active_; },
                .can_act = [this] { return leads_; }}};
  const kube::ObjectKey key_{.namespace_name = "ns", .name = "a"};
};

TEST_F(FenceTest, ReconcileStartsOnlyWhileActiveAndUnpaused) {
  EXPECT_TRUE(fence_.can_start());
  fence_.set_paused(true);
  EXPECT_FALSE(fence_.can_start());
  fence_.set_paused(false);
  is_active_ = false;
  EXPECT_FALSE(fence_.can_start());
}

TEST_F(FenceTest, PermitNeedsLeadershipScopeAndNoPause) {
  const Permit permit(fence_, key_);
  EXPECT_TRUE(permit.can_act());
  leads_ = false;
  EXPECT_FALSE(permit.can_act());
  leads_ = true;
  fence_.set_paused(true);
  EXPECT_FALSE(permit.can_act());
  fence_.set_paused(false);
  scope_.restricted_namespace = "other";
  EXPECT_FALSE(permit.can_act());
  scope_.restricted_namespace = "ns";
  EXPECT_TRUE(permit.can_act());
}

TEST_F(FenceTest, PermitEndsWithItsTerm) {
  const Permit permit(fence_, key_);
  fence_.begin_term();
  EXPECT_FALSE(permit.can_act());
  EXPECT_TRUE(Permit(fence_, key_).can_act());
}

TEST_F(FenceTest, MissedChangesAreRecordedFromFirstCall) {
  fence_.record_missed(key_);
  EXPECT_THAT(fence_.take_missed_changes().keys, ::testing::IsEmpty());
  fence_.record_missed(key_);
  EXPECT_THAT(fence_.take_missed_changes().keys, ::testing::ElementsAre(key_));
  EXPECT_THAT(fence_.take_missed_changes().keys, ::testing::IsEmpty());
}

TEST_F(FenceTest, TooManyMissedChangesAreOfAnyKey) {
  fence_.take_missed_changes();
  for (std::size_t i = 0; i <= Fence::kMaxMissed; ++i) {
    fence_.record_missed({.namespace_name = "ns", .name = std::to_string(i)});
  }
  fence_.record_missed(key_);
  const MissedChanges missed = fence_.take_missed_changes();
  EXPECT_TRUE(missed.is_of_any_key);
  EXPECT_THAT(missed.keys, ::testing::IsEmpty());
  fence_.record_missed(key_);
  EXPECT_FALSE(fence_.take_missed_changes().is_of_any_key);
}

}  // namespace
}  // namespace dynamo::reconciler
