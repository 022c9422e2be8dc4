#include "aio/wakeup_batching.hpp"

#include <boost/asio/io_context.hpp>

namespace dynamo::aio {
namespace {

// In units of `busy`: a gap this long ends the busy period. A shorter gap only skips the pause
// after it, because load often has short gaps.
constexpr int kQuiet = 10;

}  // namespace

void run_with_wakeup_batching(boost::asio::io_context& loop, const WakeupBatching& batching,
                              const std::function<void(std::chrono::microseconds)>& wait) {
  using Clock = std::chrono::steady_clock;
  if (batching.length == batching.length.zero()) {
    loop.run();
    return;
  }
  Clock::time_point last_iteration = Clock::now() - batching.busy;
  std::size_t close_iterations = 0;
  while (loop.run_one() > 0) {
    loop.poll();
    const auto gap = Clock::now() - last_iteration;
    if (gap >= kQuiet * batching.busy) close_iterations = 0;
    const bool is_close = gap < batching.busy;
    if (is_close && close_iterations >= batching.busy_iterations && !loop.stopped()) {
      wait(batching.length);
    }
    if (is_close) ++close_iterations;
    last_iteration = Clock::now();
  }
}

}  // namespace dynamo::aio
