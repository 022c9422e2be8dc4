// Runs a loop that rests while it is busy.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>

namespace boost::asio {
class io_context;
}

namespace dynamo::aio {

struct Rests {
  // After a turn of a busy loop, before it looks again: what comes meanwhile is taken in one go,
  // instead of waking the thread for each, every time with cold caches. An answer that comes
  // meanwhile waits for so long. Zero: it never rests.
  std::chrono::microseconds length{0};
  // It is busy in a turn that comes less than that behind the one before, once `turns` such turns
  // have come with no long pause between them; else nothing is delayed.
  std::chrono::microseconds busy{0};
  std::size_t turns = 0;
};

// As io_context::run(), and throws what handlers throw. `rest` returns after the time that it is
// given, or earlier when the loop is stopped.
void run_with_rests(boost::asio::io_context& loop, const Rests& rests,
                    const std::function<void(std::chrono::microseconds)>& rest);

}  // namespace dynamo::aio
