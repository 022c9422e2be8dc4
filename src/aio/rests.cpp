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
  std::size_t in_a_row = 0;
  while (loop.run_one() > 0) {
    loop.poll();
    const bool is_close = Clock::now() - last_turn < rests.busy;
    in_a_row = is_close ? in_a_row + 1 : 0;
    if (in_a_row > rests.turns && !loop.stopped()) rest(rests.length);
    last_turn = Clock::now();
  }
}

}  // namespace dynamo::aio
