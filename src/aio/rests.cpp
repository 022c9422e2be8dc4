#include "aio/rests.hpp"

#include <boost/asio/io_context.hpp>

namespace dynamo::aio {

void run_with_rests(boost::asio::io_context& loop, const Rests& rests,
                    const std::function<void(std::chrono::microseconds)>& rest) {
  using Clock = std::chrono::steady_clock;
  if (rests.length == rests.length.zero()) {
    loop.run();
    return;
  }
  Clock::time_point last_turn = Clock::now() - rests.busy;
  while (loop.run_one() > 0) {
    loop.poll();
    const bool is_busy = Clock::now() - last_turn < rests.busy;
    if (is_busy && !loop.stopped()) rest(rests.length);
    last_turn = Clock::now();
  }
}

}  // namespace dynamo::aio
