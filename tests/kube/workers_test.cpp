#include "kube/controller/workers.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "aio/pause.hpp"
#include "aio/task_group.hpp"
#include "runtime/clock.hpp"
#include "tests/kube/kube_fixture.hpp"

namespace dynamo::kube {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

ObjectKey key(std::string name) {
  return {.namespace_name = "ns", .name = std::move(name)};
}

class WorkersTest : public KubeTest {
 protected:
  static WorkQueueOptions quick() {
    WorkQueueOptions options;
    options.first_backoff = milliseconds(1);
    options.min_interval = milliseconds(0);
    return options;
  }
  void start(milliseconds reconcile_timeout) {
    WorkersOptions options;
    options.workers = 2;
    options.reconcile_timeout = reconcile_timeout;
    workers_.emplace(
        loop_.get_executor(), queue_, [this](ObjectKey which) { return pass(std::move(which)); },
        [] { return std::vector<ObjectKey>(); }, clock_, logger_, options);
    workers_->start(group_);
  }
  void add(std::string name) { workers_->add(key(std::move(name)), Priority::kChange); }
  WorkQueue::Stats stats() const { return queue_.stats(clock_.monotonic()); }
  bool until(const std::function<bool()>& condition) { return test::run_until(loop_, condition); }

  aio::Task<ReconcileResult> pass(ObjectKey which) {
    reconciles_.push_back(which.name);
    const bool hangs = which.name == "hangs" && hangs_-- > 0;
    if (hangs) {
      const bool waited = co_await aio::pause(hours(1));
      cut_off_ = !waited;
      co_return ReconcileResult::done();
    }
    done_.insert(which.name);
    co_return ReconcileResult::done();
  }

  runtime::SystemClock clock_;
  WorkQueue queue_{quick(), 1};
  int hangs_ = 1;
  bool cut_off_ = false;
  std::vector<std::string> reconciles_;
  std::set<std::string> done_;
  std::optional<Workers> workers_;
  aio::TaskGroup group_{loop_, logger_};
};

TEST_F(WorkersTest, HangingReconcileIsCancelledAndRetried) {
  start(milliseconds(20));
  add("hangs");
  ASSERT_TRUE(until([this] { return !reconciles_.empty(); }));
  for (const char* const name : {"a", "b", "c"}) add(name);
  ASSERT_TRUE(until([this] { return done_.size() == 4 && stats().running == 0; }));
  EXPECT_TRUE(cut_off_);
  EXPECT_EQ(std::ranges::count(reconciles_, "hangs"), 2);
  EXPECT_EQ(workers_->timeouts(), 1U);
  EXPECT_EQ(workers_->failures(), 1U);
  EXPECT_EQ(workers_->defects(), 0U);
  EXPECT_EQ(stats().retries, 1U);
  EXPECT_EQ(logger_.count("a reconcile took too long and was cancelled"), 1U);
}

TEST_F(WorkersTest, OtherKeysContinueWhileReconcileHangs) {
  start(hours(1));
  add("hangs");
  ASSERT_TRUE(until([this] { return !reconciles_.empty(); }));
  for (const char* const name : {"a", "b", "c"}) add(name);
  EXPECT_TRUE(until([this] { return done_.size() == 3 && stats().running == 1; }));
}

TEST_F(WorkersTest, StopDuringReconcileIsNoTimeout) {
  start(hours(1));
  add("hangs");
  ASSERT_TRUE(until([this] { return !reconciles_.empty(); }));
  group_.stop();
  EXPECT_TRUE(cut_off_);
  EXPECT_EQ(workers_->timeouts(), 0U);
  EXPECT_EQ(workers_->failures(), 0U);
  EXPECT_TRUE(queue_.next_at().has_value()) << "the key is still to be worked on";
}

}  // namespace
}  // namespace dynamo::kube
