#include "kube/controller/work_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/support/sanitizers.hpp"

namespace dynamo::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using Time = WorkQueue::Time;
using AddResult = WorkQueue::AddResult;

constexpr std::uint64_t kSeed = 7;
const Time kStart = Time(std::chrono::hours(1));

ObjectKey key(std::string name, std::string space = "ns") {
  return {.namespace_name = std::move(space), .name = std::move(name)};
}

class WorkQueueTest : public ::testing::Test {
 protected:
  // The name of the taken key, "" if none is due.
  std::string take(Time now) {
    const auto taken = queue_.take(now);
    return taken ? taken->key.name : "";
  }
  // Takes and ends all due keys.
  std::vector<std::string> drain(Time now) {
    std::vector<std::string> names;
    while (const auto taken = queue_.take(now)) {
      names.push_back(to_string(taken->key));
      queue_.done(taken->key, now);
    }
    return names;
  }
  void add(const std::string& name, Priority priority = Priority::kChange, Time at = kStart) {
    queue_.add(key(name), priority, at);
  }

  WorkQueue queue_{WorkQueueOptions(), kSeed};
};

TEST_F(WorkQueueTest, KeyAddedTwiceIsTakenOnce) {
  EXPECT_EQ(queue_.add(key("a"), Priority::kChange, kStart), AddResult::kNew);
  EXPECT_EQ(queue_.add(key("a"), Priority::kChange, kStart), AddResult::kMerged);
  EXPECT_EQ(take(kStart), "a");
  EXPECT_EQ(take(kStart), "");
}

TEST_F(WorkQueueTest, KeyAddedWhileRunningIsQueuedAgain) {
  add("a");
  ASSERT_EQ(take(kStart), "a");
  add("a");
  EXPECT_EQ(take(kStart + seconds(5)), "") << "no two passes of a key at once";
  queue_.done(key("a"), kStart + seconds(5));
  EXPECT_EQ(take(kStart + seconds(5) + milliseconds(199)), "");
  EXPECT_EQ(take(kStart + seconds(5) + milliseconds(200)), "a");
}

TEST_F(WorkQueueTest, MinimumPauseAppliesToLaterAdds) {
  add("a");
  ASSERT_EQ(take(kStart), "a");
  queue_.done(key("a"), kStart);
  add("a", Priority::kChange, kStart + milliseconds(50));
  EXPECT_EQ(take(kStart + milliseconds(199)), "");
  EXPECT_EQ(take(kStart + milliseconds(200)), "a");
}

TEST_F(WorkQueueTest, EarlierTimeAndHigherPriorityApply) {
  add("a", Priority::kResync, kStart + seconds(10));
  add("a", Priority::kChange, kStart + seconds(20));
  EXPECT_EQ(queue_.next_at(), kStart + seconds(10));
  EXPECT_EQ(queue_.take(kStart + seconds(9)), std::nullopt);
  const auto taken = queue_.take(kStart + seconds(10));
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->priority, Priority::kChange);
}

TEST_F(WorkQueueTest, MoreUrgentKeysAreTakenFirst) {
  add("listed", Priority::kResync);
  add("retried", Priority::kRetry);
  add("waited", Priority::kTimer);
  add("changed", Priority::kChange);
  EXPECT_THAT(drain(kStart), ElementsAre("ns/changed", "ns/waited", "ns/retried", "ns/listed"));
}

TEST_F(WorkQueueTest, ChangeMakesReadyListedKeyUrgent) {
  add("a", Priority::kResync);
  add("b", Priority::kResync);
  add("c", Priority::kChange);
  ASSERT_EQ(take(kStart), "c");
  add("b", Priority::kChange);
  EXPECT_EQ(take(kStart), "b");
  EXPECT_EQ(take(kStart), "a");
}

TEST_F(WorkQueueTest, NamespacesAreServedRoundRobin) {
  for (const char* name : {"1", "2", "3"}) queue_.add(key(name, "big"), Priority::kChange, kStart);
  queue_.add(key("1", "small"), Priority::kChange, kStart);
  EXPECT_THAT(drain(kStart), ElementsAre("big/1", "small/1", "big/2", "big/3"));
}

TEST_F(WorkQueueTest, NamespaceRunsAtMostItsLimitOfKeys) {
  WorkQueueOptions options;
  options.max_running_per_namespace = 2;
  WorkQueue queue(options, kSeed);
  for (const char* const name : {"a", "b", "c", "d"}) {
    queue.add(key(name, "noisy"), Priority::kChange, kStart);
  }
  queue.add(key("x", "quiet"), Priority::kResync, kStart);
  std::vector<std::string> taken;
  while (const auto each = queue.take(kStart)) taken.push_back(to_string(each->key));
  EXPECT_THAT(taken, ElementsAre("noisy/a", "noisy/b", "quiet/x"));
  // The owner does not ask again until a key ends.
  EXPECT_EQ(queue.next_at(), std::nullopt);
  EXPECT_EQ(queue.stats(kStart).ready, 2U);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(i == 0 ? queue.retry(key("a", "noisy"), kStart)
                       : queue.abandon(key("b", "noisy"), kStart));
    EXPECT_EQ(queue.next_at(), Time::min());
    const auto next = queue.take(kStart);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->key.name, i == 0 ? "c" : "d");
    EXPECT_FALSE(queue.take(kStart));
  }
}

TEST_F(WorkQueueTest, LeastUrgentKeyIsTakenDuringFlood) {
  add("listed", Priority::kResync);
  bool was_taken = false;
  Time now = kStart;
  // One worker that needs 100 ms per key, and always has something more urgent.
  for (int i = 0; i < 1200 && !was_taken; ++i, now += milliseconds(100)) {
    queue_.add(key("flood-" + std::to_string(i % 10)), Priority::kChange, now);
    queue_.add(key("flood-" + std::to_string(i % 7)), Priority::kChange, now);
    const auto taken = queue_.take(now);
    ASSERT_TRUE(taken);
    was_taken = taken->key.name == "listed";
    queue_.done(taken->key, now);
  }
  EXPECT_TRUE(was_taken);
  EXPECT_LE(now - kStart, seconds(95)) << "three steps of thirty seconds, and its turn";
}

TEST_F(WorkQueueTest, BackoffDoublesFromOneSecondToFiveMinutes) {
  Time now = kStart;
  add("a");
  for (unsigned failures = 0; failures < 15; ++failures) {
    const auto taken = queue_.take(now);
    ASSERT_TRUE(taken) << failures;
    EXPECT_EQ(taken->failures, failures);
    queue_.retry(key("a"), now);
    const milliseconds longest = std::min<milliseconds>(seconds(1U << failures), minutes(5));
    ASSERT_TRUE(queue_.next_at());
    EXPECT_GE(*queue_.next_at() - now, longest / 2);
    EXPECT_LE(*queue_.next_at() - now, longest);
    now = *queue_.next_at();
  }
  EXPECT_EQ(queue_.stats(now).retries, 15U);
}

TEST_F(WorkQueueTest, BackoffDependsOnSeed) {
  const auto pauses = [](std::uint64_t seed) {
    WorkQueue queue(WorkQueueOptions(), seed);
    std::vector<milliseconds> found;
    Time now = kStart;
    queue.add(key("a"), Priority::kChange, now);
    for (int i = 0; i < 8; ++i) {
      queue.take(now);
      queue.retry(key("a"), now);
      found.push_back(std::chrono::duration_cast<milliseconds>(*queue.next_at() - now));
      now = *queue.next_at();
    }
    return found;
  };
  EXPECT_EQ(pauses(1), pauses(1));
  EXPECT_NE(pauses(1), pauses(2));
}

TEST_F(WorkQueueTest, OnlySuccessResetsFailures) {
  add("a");
  queue_.take(kStart);
  queue_.retry(key("a"), kStart);
  Time now = kStart + seconds(1);
  ASSERT_EQ(queue_.take(now)->failures, 1U);
  queue_.wait(key("a"), now, now + seconds(10));
  EXPECT_EQ(queue_.next_at(), now + seconds(10));
  now += seconds(10);
  ASSERT_EQ(queue_.take(now)->failures, 1U) << "a wait is no success";
  queue_.done(key("a"), now);
  add("a", Priority::kChange, now += seconds(1));
  EXPECT_EQ(queue_.take(now)->failures, 0U);
}

TEST_F(WorkQueueTest, RetryWaitsForRetryAfter) {
  add("a");
  queue_.take(kStart);
  queue_.retry(key("a"), kStart, seconds(30));
  EXPECT_EQ(queue_.next_at(), kStart + seconds(30));
}

TEST_F(WorkQueueTest, ChangeOfFailingKeyIgnoresBackoff) {
  add("a");
  queue_.take(kStart);
  queue_.retry(key("a"), kStart, minutes(5));
  add("a", Priority::kChange, kStart + seconds(1));
  EXPECT_EQ(take(kStart + seconds(1)), "a");
}

TEST_F(WorkQueueTest, ManyRetriesAreSpreadAndChangesOvertakeThem) {
  constexpr int kKeys = 300;
  for (int i = 0; i < kKeys; ++i) {
    add("bad-" + std::to_string(i));
    ASSERT_NE(take(kStart), "");
    queue_.retry(key("bad-" + std::to_string(i)), kStart);
  }
  const Time soon = kStart + seconds(1);
  std::size_t retried = 0;
  while (const auto taken = queue_.take(soon)) ++retried;
  EXPECT_EQ(retried, 110U) << "a burst of 100, and ten in a second";
  queue_.add(key("good"), Priority::kChange, soon);
  EXPECT_EQ(take(soon), "good");
  std::size_t later = 0;
  while (const auto taken = queue_.take(kStart + seconds(20))) ++later;
  EXPECT_EQ(retried + later, std::size_t{kKeys}) << "none is lost";
}

TEST_F(WorkQueueTest, HourLongStormDoesNotSlowLaterRetries) {
  constexpr int kKeys = 5'000;
  for (int i = 0; i < kKeys; ++i) add("bad-" + std::to_string(i));
  Time now = kStart;
  while (now < kStart + std::chrono::hours(1)) {
    while (const auto taken = queue_.take(now)) queue_.retry(taken->key, now);
    ASSERT_TRUE(queue_.next_at());
    now = std::max(*queue_.next_at(), now + seconds(1));
  }
  now += minutes(6);
  drain(now);
  now += seconds(1);
  add("good", Priority::kChange, now);
  ASSERT_EQ(take(now), "good");
  queue_.retry(key("good"), now);
  EXPECT_LE(*queue_.next_at() - now, seconds(2));
}

TEST_F(WorkQueueTest, RetriesDelayedByStormAreSpread) {
  constexpr int kKeys = 5'000;
  for (int i = 0; i < kKeys; ++i) {
    add("bad-" + std::to_string(i));
    ASSERT_NE(take(kStart), "");
    queue_.retry(key("bad-" + std::to_string(i)), kStart);
  }
  const Time latest = kStart + minutes(5);
  EXPECT_GT(drain(latest - seconds(1)).size(), std::size_t{kKeys} * 9 / 10);
  EXPECT_LT(drain(latest).size(), 100U);
  EXPECT_FALSE(queue_.next_at());
}

TEST_F(WorkQueueTest, RefusedKeysCauseResyncOnceThereIsRoom) {
  WorkQueueOptions small;
  small.max_keys = 4;
  WorkQueue queue(small, kSeed);
  for (const char* name : {"a", "b", "c", "d"}) {
    EXPECT_EQ(queue.add(key(name), Priority::kChange, kStart), AddResult::kNew);
  }
  EXPECT_EQ(queue.add(key("e"), Priority::kChange, kStart), AddResult::kFull);
  EXPECT_EQ(queue.add(key("a"), Priority::kChange, kStart), AddResult::kMerged);
  EXPECT_EQ(queue.stats(kStart).refused, 1U);
  EXPECT_FALSE(queue.is_resync_due());
  queue.take(kStart);
  queue.add(key("a"), Priority::kChange, kStart);  // it is running: needs no room of its own
  EXPECT_FALSE(queue.is_resync_due());
  queue.done(key("a"), kStart);
  for (int i = 0; i < 2; ++i) queue.done(queue.take(kStart)->key, kStart);
  EXPECT_TRUE(queue.is_resync_due());
  EXPECT_FALSE(queue.is_resync_due()) << "reported once";
}

TEST_F(WorkQueueTest, EndingIdleKeyChangesNothing) {
  EXPECT_FALSE(queue_.done(key("a"), kStart));
  add("a");
  EXPECT_FALSE(queue_.done(key("a"), kStart));
  EXPECT_FALSE(queue_.retry(key("a"), kStart));
  EXPECT_FALSE(queue_.wait(key("a"), kStart, kStart));
  EXPECT_EQ(take(kStart), "a");
  EXPECT_TRUE(queue_.is_running(key("a")));
}

TEST_F(WorkQueueTest, CancelledReconcileIsQueuedAgain) {
  add("a");
  queue_.take(kStart);
  EXPECT_TRUE(queue_.abandon(key("a"), kStart));
  const auto taken = queue_.take(kStart + seconds(1));
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->failures, 0U);
}

// Each time the key is taken a second later.
TEST_F(WorkQueueTest, OnlyWaitAfterSettlingIsUnrequested) {
  Time now = kStart;
  const ObjectKey a = key("a");
  const auto is_timer_wakeup = [&] {
    now += seconds(1);
    EXPECT_EQ(take(now), "a");
    return queue_.is_timer_wakeup(a);
  };
  EXPECT_FALSE(queue_.is_timer_wakeup(a)) << "it is not there";
  add("a");
  EXPECT_FALSE(queue_.is_timer_wakeup(a)) << "it is not running";
  EXPECT_FALSE(is_timer_wakeup()) << "it was added";
  queue_.wait(a, now, now + milliseconds(500), true);
  EXPECT_TRUE(is_timer_wakeup());
  queue_.abandon(a, now);
  EXPECT_TRUE(is_timer_wakeup()) << "as if it had not been taken";
  queue_.wait(a, now, now + milliseconds(500), false);
  EXPECT_FALSE(is_timer_wakeup()) << "something is left to do";
  queue_.wait(a, now, now + milliseconds(500), true);
  add("a", Priority::kResync, now);
  EXPECT_FALSE(is_timer_wakeup()) << "it was added while it waited";
  add("a", Priority::kResync, now);
  queue_.wait(a, now, now + milliseconds(500), true);
  EXPECT_FALSE(is_timer_wakeup()) << "it was added while it ran";
  add("a", Priority::kResync, now);
  queue_.abandon(a, now);
  EXPECT_FALSE(is_timer_wakeup()) << "it was added before it was abandoned";
  queue_.retry(a, now);
  now += seconds(1);
  EXPECT_FALSE(is_timer_wakeup()) << "it failed";
  queue_.wait(a, now, now + milliseconds(500), true);
  EXPECT_TRUE(is_timer_wakeup());
  queue_.done(a, now);
  add("a", Priority::kResync, now);
  EXPECT_FALSE(is_timer_wakeup()) << "it was done and added again";
}

TEST_F(WorkQueueTest, NothingStartsAfterStopAndRunningKeysEnd) {
  add("a");
  add("b");
  ASSERT_EQ(take(kStart), "a");
  queue_.stop();
  EXPECT_EQ(take(kStart), "");
  EXPECT_EQ(queue_.next_at(), std::nullopt);
  EXPECT_EQ(queue_.add(key("c"), Priority::kChange, kStart), AddResult::kStopped);
  EXPECT_TRUE(queue_.done(key("a"), kStart));
  EXPECT_EQ(queue_.stats(kStart).running, 0U);
}

TEST_F(WorkQueueTest, CountsCoverDepthAndAge) {
  add("ready");
  add("later", Priority::kTimer, kStart + minutes(5));
  add("runs", Priority::kChange, kStart);
  ASSERT_EQ(take(kStart + seconds(1)), "ready");
  const auto stats = queue_.stats(kStart + seconds(3));
  EXPECT_EQ(stats.ready, 1U);
  EXPECT_EQ(stats.waiting, 1U);
  EXPECT_EQ(stats.running, 1U);
  EXPECT_EQ(stats.oldest_ready, seconds(3));
  EXPECT_EQ(stats.longest_running, seconds(2));
  EXPECT_EQ(stats.adds, 3U);
}

// ---- Against a naive model

struct ExpectedItem {
  bool is_queued = false;
  bool is_running = false;
  bool is_dirty = false;
  Priority priority = Priority::kChange;
  Time earliest{};  // it must not be taken before
  Time latest{};    // it must be taken from then on
  Time earliest_start{};
  unsigned failures = 0;

  void add(Priority with, Time from, Time to) {
    const bool is_there = is_queued || is_dirty;
    priority = is_there ? std::min(priority, with) : with;
    earliest = is_there ? std::min(earliest, from) : from;
    latest = is_there ? std::min(latest, to) : to;
    (is_running ? is_dirty : is_queued) = true;
    if (!is_running) apply_min_interval();
  }
  void end(Time now) {
    is_running = false;
    earliest_start = now + milliseconds(200);
    is_queued = is_dirty;
    is_dirty = false;
    apply_min_interval();
  }
  void apply_min_interval() {
    earliest = std::max(earliest, earliest_start);
    latest = std::max(latest, earliest_start);
  }
};

class WorkQueueModel {
 public:
  explicit WorkQueueModel(unsigned seed) : random_(seed), queue_(options(), seed) {}

  void run(int steps) {
    for (int i = 0; i < steps && !::testing::Test::HasFatalFailure(); ++i) step();
    finish();
  }

 private:
  static WorkQueueOptions options() {
    WorkQueueOptions options;
    options.retry_interval = milliseconds(0);
    options.ageing = std::chrono::hours(1'000);
    return options;
  }
  unsigned any(unsigned below) {
    return std::uniform_int_distribution<unsigned>(0, below - 1)(random_);
  }
  ObjectKey any_key() { return key(std::to_string(any(6)), std::to_string(any(3))); }

  void step() {
    switch (any(5)) {
      case 0:
      case 1: {
        const ObjectKey which = any_key();
        const auto priority = static_cast<Priority>(any(4));
        const Time at = now_ + milliseconds(any(3) * any(2'000));
        queue_.add(which, priority, at);
        expected_[which].add(priority, at, at);
        break;
      }
      case 2:
        take();
        break;
      case 3:
        if (!running_.empty()) end(any(4));
        break;
      default:
        now_ += milliseconds(any(1'500));
    }
  }

  void take() {
    const auto taken = queue_.take(now_);
    Priority highest = Priority::kResync;
    bool is_any_due = false;
    for (const auto& [which, each] : expected_) {
      if (!each.is_queued || each.latest > now_) continue;
      is_any_due = true;
      highest = std::min(highest, each.priority);
    }
    if (!taken) {
      ASSERT_FALSE(is_any_due) << "something was due, and not taken";
      return;
    }
    ExpectedItem& it = expected_[taken->key];
    ASSERT_FALSE(it.is_running) << "two passes at once";
    ASSERT_TRUE(it.is_queued) << "it was not added";
    ASSERT_LE(it.earliest, now_) << "too early";
    ASSERT_EQ(taken->priority, it.priority);
    ASSERT_EQ(taken->failures, it.failures);
    ASSERT_TRUE(!is_any_due || taken->priority <= highest) << "something more urgent was due";
    it.is_queued = false;
    it.is_running = true;
    running_.push_back(taken->key);
  }

  void end(unsigned how) {
    const std::size_t place = any(static_cast<unsigned>(running_.size()));
    const ObjectKey which = running_[place];
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(place));
    ExpectedItem& it = expected_[which];
    switch (how) {
      case 0: {
        const milliseconds longest =
            std::min<milliseconds>(seconds(1U << std::min(it.failures, 10U)), minutes(5));
        ++it.failures;
        ASSERT_TRUE(queue_.retry(which, now_));
        it.add(Priority::kRetry, now_ + longest / 2, now_ + longest);
        break;
      }
      case 1: {
        const Time until = now_ + milliseconds(any(3'000));
        ASSERT_TRUE(queue_.wait(which, now_, until));
        it.add(Priority::kTimer, until, until);
        break;
      }
      default:
        ASSERT_TRUE(queue_.done(which, now_));
        it.failures = 0;
    }
    it.end(now_);
  }

  // Everything that was added is taken in the end.
  void finish() {
    while (!running_.empty()) end(2);
    now_ += minutes(6);
    for (std::size_t i = 0; i <= expected_.size(); ++i) take();
    for (const auto& [which, each] : expected_) {
      EXPECT_FALSE(each.is_queued) << to_string(which) << " was lost";
    }
  }

  std::mt19937 random_;
  WorkQueue queue_;
  Time now_ = kStart;
  std::map<ObjectKey, ExpectedItem> expected_;
  std::vector<ObjectKey> running_;
};

TEST(WorkQueueModelTest, EveryAddIsReconciledWithoutConcurrentRuns) {
  for (unsigned seed = 1; seed <= test::played(200U); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    WorkQueueModel(seed).run(400);
    if (::testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace dynamo::kube
