// External causes that stop or delay the reconciles of a key: another operator's Lease, and a
// server's Retry-After.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/namespace_lease.hpp"
#include "tests/reconciler/controller_fixture.hpp"

namespace dynamo::reconciler {
namespace {

using kube::ObjectKey;
using kube::ReconcileResult;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;

// A Lease of 30 seconds in namespace "ns".
class LeaseOfAnother final : public admission::NamespaceLeases {
 public:
  explicit LeaseOfAnother(std::chrono::system_clock::time_point renewed) : renewed_(renewed) {}
  std::optional<admission::NamespaceLease> find(std::string_view name) const override {
    if (name != "ns") return std::nullopt;
    return admission::NamespaceLease{
        .renew_time = renewed_, .duration = seconds(30), .holder = "another"};
  }

 private:
  const std::chrono::system_clock::time_point renewed_;
};

// A restricted operator has started, and reconciles the namespace itself.
TEST_F(ControllerTest, ForeignLeaseStopsReconcileUntilItExpires) {
  put("ns", "a");
  start_acting([this](ReconcileContext& context) {
    EXPECT_TRUE(context.can_act());
    for (const ObjectKey& each : context.take_missed_changes().keys) {
      missed_.push_back(to_string(each));
    }
    if (reconciles() == 1) {
      cluster_state_.leases.publish(std::make_unique<const LeaseOfAnother>(clock_.wall()));
      EXPECT_FALSE(context.can_act());
    }
    return Actions{write("a", "written")};
  });
  // The key is dequeued again after its pause, in vain.
  until([this] {
    const kube::WorkQueue::Stats stats = controller_->stats();
    const bool is_idle = stats.ready + stats.waiting + stats.running == 0;
    return (reconciles() == 1 && is_idle) || value_of("a") != "x";
  });
  EXPECT_EQ(value_of("a"), "x");
  EXPECT_EQ(reconciles(), 1U);
  EXPECT_EQ(controller_->failures(), 0U);
  clock_.leap(seconds(31));
  const auto left = controller_->take_leased_namespaces();
  EXPECT_THAT(left, ElementsAre("ns"));
  for (const std::string& each : left) {
    controller_->enqueue_namespace(each, kube::Priority::kTimer);
  }
  until([this] { return value_of("a") == "written"; });
  EXPECT_THAT(missed_, Contains("ns/a")) << "while the Lease was live";
}

class TimerWakeupTest : public ControllerTest {
 protected:
  std::vector<bool> timer_wakeups_;  // of each reconcile, whether only its timer fired
  bool fails_ = false;
};

TEST_F(TimerWakeupTest, ReconcileKnowsIfOnlyItsTimerFired) {
  put("ns", "a");
  reconciler_.body = [this](ObjectKey, ReconcileContext& context) -> aio::Task<ReconcileResult> {
    timer_wakeups_.push_back(context.is_timer_wakeup());
    if (fails_) co_return ReconcileResult::retry("it failed");
    co_return ReconcileResult::requeue_on_timer(seconds(10));
  };
  // Consecutive reconciles of a key are separated by a short pause.
  const auto next = [&](const std::function<void()>& what) {
    const std::size_t before = timer_wakeups_.size();
    clock_.leap(seconds(1));
    what();
    until([&] { return timer_wakeups_.size() > before && controller_->stats().running == 0; });
    return std::vector<bool>(timer_wakeups_.begin() + static_cast<std::ptrdiff_t>(before),
                             timer_wakeups_.end());
  };
  const ObjectKey key{.namespace_name = "ns", .name = "a"};
  start();
  EXPECT_THAT(next([] {}), ElementsAre(false)) << "the first list";
  const auto its_time = [&] {
    clock_.leap(seconds(10));
    // Makes the worker read the clock.
    put("ns", "a-" + std::to_string(timer_wakeups_.size()));
  };
  EXPECT_THAT(next(its_time), Contains(true));
  EXPECT_THAT(next([&] { put("ns", "a", "y"); }), ElementsAre(false)) << "it has changed";
  EXPECT_THAT(next([&] { controller_->enqueue(key, kube::Priority::kResync); }),
              ElementsAre(false));
  fails_ = true;
  EXPECT_THAT(next([&] { controller_->enqueue_all(kube::Priority::kResync); }), Each(false));
}

TEST_F(ControllerTest, RetryAfterIsLimitedToLongestBackOff) {
  put("ns", "a");
  cluster_.fail({.method = kube::HttpMethod::kPatch}, {.kind = test::Fault::Kind::kStatus,
                                                       .status = 503,
                                                       .reason = "ServiceUnavailable",
                                                       .retry_after = std::chrono::hours(24)});
  reconciler_.body = [this](ObjectKey key,
                            ReconcileContext& context) -> aio::Task<ReconcileResult> {
    if (key.name != "a") co_return ReconcileResult::done();
    std::vector<Action> actions{write("a", "written")};
    const auto ended = co_await context.act(std::move(actions));
    co_return ended.value_or(ReconcileResult::done());
  };
  start();
  until([this] { return controller_->failures() == 1; });
  // Reconciling another key makes the worker read the clock.
  clock_.leap(seconds(290));
  put("ns", "b");
  until([this] { return reconciles() == 2 && controller_->stats().running == 0; });
  EXPECT_EQ(value_of("a"), "x") << "it is waited for all the same";
  clock_.leap(seconds(11));
  put("ns", "c");
  until([this] { return value_of("a") == "written"; });
}

}  // namespace
}  // namespace dynamo::reconciler
