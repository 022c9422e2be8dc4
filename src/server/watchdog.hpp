// Tells which threads with an event loop still turn. Each is asked to answer through its own queue,
// so that nothing is paid for it on the way of a request, and an idle loop answers like a busy one.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "server/counters.hpp"

namespace dynamo::server {

// What one loop owes. Any thread.
class Heartbeat {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // Notes that an answer is wanted since `now`. True if none was owed yet: the caller posts
  // answer() to the loop.
  bool ask(TimePoint now);
  // On the loop.
  void answer() { asked_.store(kNothingOwed, std::memory_order_relaxed); }
  // Since when an answer is owed: the loop has not turned since. 0 when none is.
  std::chrono::nanoseconds owed(TimePoint now) const;

 private:
  static constexpr std::int64_t kNothingOwed = INT64_MIN;
  std::atomic<std::int64_t> asked_{kNothingOwed};
};

class Watchdog {
 public:
  // The API server waits for a webhook for at most 30 s: what a stuck loop holds is lost by then.
  static constexpr std::chrono::seconds kStuckAfter{30};
  // A loop this late gets no new connection while another one turns.
  static constexpr std::chrono::seconds kLateAfter{1};

  // Runs a task on a loop; kept with each loop that is watched.
  using Post = std::function<void(std::function<void()>)>;

  // All three must outlive it.
  Watchdog(LoopCounters& counters, runtime::Logger& logger, const runtime::Clock& clock)
      : counters_(counters), logger_(logger), clock_(clock) {}
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // Before the first look(). The loops are numbered in this order, from 0. `post` is not called
  // after release().
  void watch(std::string name, Post post);

  // To be called each second or so, by one thread at a time: asks the loops, and counts and logs
  // those that have become stuck or turn again. Only what owes its answer for too long at two looks
  // in a row is stuck: a process that was itself halted for a while finds its loops late once.
  void look();

  // The loops may go. Not while another thread calls look().
  void release();

  // Any thread, like all that follow.
  bool is_stuck(std::size_t loop) const {
    return loops_[loop]->is_stuck.load(std::memory_order_relaxed);
  }
  bool is_late(std::size_t loop) const {
    return loops_[loop]->heartbeat.owed(clock_.monotonic()) > kLateAfter;
  }

  bool are_all_stuck() const;

  // The names of the loops that are stuck, or nothing: for /healthz.
  std::optional<std::string> problem() const;

  // The names of those that have not turned for longer than `least`; may be empty.
  std::string late_loops(std::chrono::nanoseconds least) const;

 private:
  struct Loop {
    std::string name;
    Post post;
    Heartbeat heartbeat;
    std::atomic<bool> is_stuck{false};
    bool is_suspect = false;
  };

  void judge(Loop& loop, std::chrono::nanoseconds owed);

  LoopCounters& counters_;
  runtime::Logger& logger_;
  const runtime::Clock& clock_;
  std::vector<std::shared_ptr<Loop>> loops_;  // shared with what is posted to them
};

}  // namespace dynamo::server
