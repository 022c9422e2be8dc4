// Wakes a coroutine that waits for something to do.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>

#include "kube/task.hpp"

namespace dynamo::certs::managed {

// One coroutine waits, anything on the loop's thread rings. A ring while nobody waits is kept.
class Bell {
 public:
  explicit Bell(boost::asio::io_context& loop) : timer_(loop) {}

  void ring() {
    rung_ = true;
    timer_.cancel();
  }

  // Until it rings, at most that long in real time. False when the coroutine is to end.
  kube::Task<bool> wait(std::chrono::milliseconds at_most);

 private:
  boost::asio::steady_timer timer_;
  bool rung_ = false;
};

// The pauses of a row of failures.
class Backoff {
 public:
  Backoff(std::chrono::milliseconds first, std::chrono::milliseconds longest)
      : first_(first), longest_(longest), next_(first) {}

  std::chrono::milliseconds failed() {
    const std::chrono::milliseconds pause = next_;
    next_ = next_ * 2 < longest_ ? next_ * 2 : longest_;
    return pause;
  }
  void succeeded() { next_ = first_; }

 private:
  const std::chrono::milliseconds first_;
  const std::chrono::milliseconds longest_;
  std::chrono::milliseconds next_;
};

}  // namespace dynamo::certs::managed
