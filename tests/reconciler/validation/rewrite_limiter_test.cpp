// A verdict that another client keeps reverting.
#include "reconciler/validation/rewrite_limiter.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "reconciler/engine/resources.hpp"
#include "reconciler/validation/reconciler.hpp"
#include "tests/reconciler/reconcile_fixture.hpp"

namespace dynamo::reconciler::validation {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class RewritesTest : public ::testing::Test {
 protected:
  static RewriteLimiter::Id id(const std::string& uid, std::int64_t generation = 1,
                               const std::string& verdict = "refused",
                               const std::string& change = "") {
    return RewriteLimiter::id_of(uid, generation, verdict, change);
  }
  milliseconds pause() const { return pause(id("u")); }
  milliseconds pause(RewriteLimiter::Id of) const { return rewrites_.pause(of, now_); }
  void write() { write("u"); }
  void write(const std::string& uid) { rewrites_.note(id(uid), now_); }

  RewriteLimiter rewrites_;
  RewriteLimiter::Time now_{std::chrono::hours(1)};
};

TEST_F(RewritesTest, PauseGrowsAfterFiveImmediateWrites) {
  for (unsigned i = 0; i < RewriteLimiter::kAtOnce; ++i) {
    EXPECT_EQ(pause(), milliseconds(0)) << i;
    write();
  }
  for (const int length : {1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300}) {
    EXPECT_EQ(pause(), seconds(length));
    now_ += seconds(length);
    EXPECT_EQ(pause(), milliseconds(0)) << "its time has come";
    write();
  }
}

TEST_F(RewritesTest, OtherObjectGenerationOrVerdictStartsFresh) {
  for (int i = 0; i < 9; ++i) write();
  EXPECT_NE(pause(), milliseconds(0));
  EXPECT_EQ(pause(id("v")), milliseconds(0));
  EXPECT_EQ(pause(id("u", 2)), milliseconds(0));
  EXPECT_EQ(pause(id("u", 1, "refused by another policy")), milliseconds(0));
  EXPECT_EQ(pause(id("u", 1, "", "refused")), milliseconds(0));
}

TEST_F(RewritesTest, PauseResetsAfterTenQuietMinutes) {
  for (int i = 0; i < 9; ++i) write();
  now_ += minutes(11);
  write();
  EXPECT_EQ(pause(), milliseconds(0));
}

TEST_F(RewritesTest, PauseAppliesToThousandsOfObjects) {
  constexpr int kObjects = 5'000;
  for (int round = 0; round < 8; ++round) {
    for (int i = 0; i < kObjects; ++i) {
      write(std::to_string(i));
      now_ += milliseconds(10);
    }
  }
  // The last pause is 8 s, and has just started.
  EXPECT_GT(pause(id(std::to_string(kObjects - 1))), seconds(7));
}

TEST_F(RewritesTest, MemoryIsLimited) {
  for (int i = 0; i < 9; ++i) write();
  for (int i = 0; i < 200'000; ++i) {
    write(std::to_string(i));
    now_ += microseconds(40);
  }
  EXPECT_EQ(pause(id("199999")), milliseconds(0));
  EXPECT_NE(pause(), milliseconds(0)) << "repeated writers are remembered longer than others";
}

// Like a companion with another policy, or an operator that removes unknown conditions.
class RewriteLimiterTest : public test::ReconcileTest {
 protected:
  kube::ReconcileResult run_reconcile() {
    cache_->show();
    return reconcile(reconciler_, {.namespace_name = "team-a", .name = "g"});
  }

  const kube::Resource graphs_ = resource_of(api::Kind::kGraphDeployment);
  ClusterState cluster_state_{clock_};
  ValidationReconciler reconciler_{api::Kind::kGraphDeployment,
                                   {.mode = Mode::kCompanion, .keeps_record = false},
                                   cluster_state_,
                                   std::make_shared<RecordPace>(milliseconds(0))};
};

TEST_F(RewriteLimiterTest, RemovedConditionIsRestoredLessAndLessOften) {
  cluster_.put(graphs_, R"({"metadata":{"name":"g","namespace":"team-a"},"spec":{"services":{}}})");
  watch(reconciler_);
  std::size_t written = 0;
  for (const auto end = clock_.monotonic() + minutes(10); clock_.monotonic() < end;) {
    cluster_.merge(graphs_, "team-a", "g", R"({"status":{"conditions":[]}})", "another");
    const std::size_t before = writes();
    const kube::ReconcileResult result = run_reconcile();
    if (writes() != before) ++written;
    clock_.tick(result.kind == kube::ReconcileResult::Kind::kRequeue ? result.pause
                                                                     : milliseconds(200));
  }
  EXPECT_GE(written, 10U);
  EXPECT_LE(written, 16U);
  cluster_.merge(graphs_, "team-a", "g", R"({"spec":{"services":null}})", "another");
  const std::size_t before = writes();
  run_reconcile();
  EXPECT_GT(writes(), before) << "another generation is reported at once";
}

}  // namespace
}  // namespace dynamo::reconciler::validation
