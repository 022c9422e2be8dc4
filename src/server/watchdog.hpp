// Detects event loops that are blocked. Each loop answers through its own queue, so requests pay
// nothing, and an idle loop answers like a busy one.
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

// The pending question to one loop. Any thread.
class Heartbeat {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // Records that an answer is wanted since `now`. Returns true if none was pending: the caller then
  // posts answer() to the loop.
  bool ask(TimePoint now);
  // Called on the loop.
  void answer() { pending_since_.store(kNonePending, std::memory_order_relaxed); }
  // How long an answer has been pending, which is how long the loop has been blocked. 0 if none is.
  std::chrono::nanoseconds pending_for(TimePoint now) const;

 private:
  static constexpr std::int64_t kNonePending = INT64_MIN;
  std::atomic<std::int64_t> pending_since_{kNonePending};
};

class Watchdog {
 public:
  // The API server waits for a webhook for at most 30 s: requests on a stuck loop are lost by then.
  static constexpr std::chrono::seconds kStuckAfter{30};
  // A loop this late gets no new connection if another loop is responsive.
  static constexpr std::chrono::seconds kLateAfter{1};

  // Runs a task on a loop; stored for each watched loop.
  using Post = std::function<void(std::function<void()>)>;

  // All three must outlive it.
  Watchdog(LoopCounters& counters, runtime::Logger& logger, const runtime::Clock& clock)
      : counters_(counters), logger_(logger), clock_(clock) {}
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // Call it before the first check_loops(). The loops are numbered in this order, from 0. `post` is
  // not called after release().
  void watch(std::string name, Post post);

  // Call it about once per second, by one thread at a time. Asks the loops, and counts and logs
  // those that have become stuck or responsive again. A loop is stuck only if its answer is overdue
  // at two checks in a row: after a pause of the whole process, the loops are late once.
  void check_loops();

  // The loops may be destroyed. Not while another thread calls check_loops().
  void release();

  // Any thread, like all functions that follow.
  bool is_stuck(std::size_t loop) const {
    return loops_[loop]->is_stuck.load(std::memory_order_relaxed);
  }
  bool is_late(std::size_t loop) const {
    return loops_[loop]->heartbeat.pending_for(clock_.monotonic()) > kLateAfter;
  }

  bool are_all_stuck() const;

  // The names of the stuck loops, or nullopt: for /healthz.
  std::optional<std::string> problem() const;

  // The names of the loops that have been blocked for longer than `least`; may be empty.
  std::string late_loops(std::chrono::nanoseconds least) const;

 private:
  struct Loop {
    std::string name;
    Post post;
    Heartbeat heartbeat;
    std::atomic<bool> is_stuck{false};
    bool is_suspect = false;
  };

  void check_loop(Loop& loop, std::chrono::nanoseconds blocked_for);

  LoopCounters& counters_;
  runtime::Logger& logger_;
  const runtime::Clock& clock_;
  std::vector<std::shared_ptr<Loop>> loops_;  // shared with the tasks posted to them
};

}  // namespace dynamo::server
