// Wakes a coroutine that waits for something to do.
#pragma once

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <optional>

#include "aio/backoff.hpp"
#include "aio/task.hpp"

namespace dynamo::aio {

// One coroutine waits, anything on the loop's thread rings. A ring while nobody waits is kept.
class Signal {
 public:
  explicit Signal(boost::asio::io_context& loop) : timer_(loop) {}

  void ring() {
    rung_ = true;
    timer_.cancel();
  }

  // Until it rings, at most that long in real time. False when the coroutine is to end.
  Task<bool> wait(std::chrono::milliseconds at_most);

 private:
  boost::asio::steady_timer timer_;
  bool rung_ = false;
};

// The pauses of a row of failures, in real time. Nobody has to sit them out: who waits for a bell
// meanwhile asks is_pausing() when it rings.
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
  // `at_most`, or less: until the next try is due.
  std::chrono::milliseconds wait(std::chrono::milliseconds at_most) const {
    if (!again_at_) return at_most;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(*again_at_ - std::chrono::steady_clock::now());
    return std::clamp(left, std::chrono::milliseconds(1), at_most);
  }

 private:
  Backoff pauses_;
  // Nothing: the last try succeeded.
  std::optional<std::chrono::steady_clock::time_point> again_at_;
};

}  // namespace dynamo::aio
