// Wake-up batching: a busy loop pauses briefly, so that one wake-up handles several events.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>

namespace boost::asio {
class io_context;
}

namespace dynamo::aio {

struct WakeupBatching {
  // Pause of a busy loop after each iteration. Events that arrive during it are handled together,
  // instead of waking the thread for each one with cold caches. A response that arrives during it
  // is delayed by up to this time. Zero: no pauses.
  std::chrono::microseconds length{0};
  // The loop is busy in an iteration that starts less than `busy` after the previous one, once
  // `busy_iterations` such iterations occurred without a long gap between them. Otherwise nothing
  // is delayed.
  std::chrono::microseconds busy{0};
  std::size_t busy_iterations = 0;
};

// Like io_context::run(); propagates exceptions of handlers. `wait` returns after the given time,
// or earlier when the loop is stopped.
void run_with_wakeup_batching(boost::asio::io_context& loop, const WakeupBatching& batching,
                              const std::function<void(std::chrono::microseconds)>& wait);

}  // namespace dynamo::aio
