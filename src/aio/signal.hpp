// Wakes a coroutine that waits for work.
#pragma once

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <optional>

#include "aio/backoff.hpp"
#include "aio/task.hpp"

namespace dynamo::aio {

// One coroutine waits; any code on the loop's thread rings. A ring without a waiter is kept.
class Signal {
 public:
  explicit Signal(boost::asio::io_context& loop) : timer_(loop) {}

  void ring() {
    rung_ = true;
    timer_.cancel();
  }

  // Waits for a ring, at most this long in real time. Returns false if the coroutine must end.
  Task<bool> wait(std::chrono::milliseconds at_most);

 private:
  boost::asio::steady_timer timer_;
  bool rung_ = false;
};

// Pauses after consecutive failures, in real time. A caller that waits on a Signal may be woken
// during a pause, and then checks is_pausing().
class Retry {
 public:
  Retry(std::chrono::milliseconds first, std::chrono::milliseconds longest)
      : pauses_(first, longest) {}

  void failed() { again_at_ = std::chrono::steady_clock::now() + pauses_.next(); }
  void succeeded() {
    pauses_.reset();
    again_at_.reset();
  }
  bool has_failed() const { return again_at_.has_value(); }
  bool is_pausing() const { return again_at_ && std::chrono::steady_clock::now() < *again_at_; }
  // `at_most`, or less: the time until the next attempt is due.
  std::chrono::milliseconds wait(std::chrono::milliseconds at_most) const {
    if (!again_at_) return at_most;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(*again_at_ - std::chrono::steady_clock::now());
    return std::clamp(left, std::chrono::milliseconds(1), at_most);
  }

 private:
  Backoff pauses_;
  // nullopt: the last attempt succeeded.
  std::optional<std::chrono::steady_clock::time_point> again_at_;
};

}  // namespace dynamo::aio
