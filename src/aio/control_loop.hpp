// The thread for everything except reviews: accepting, probes, metrics, watching certificates.
#pragma once

#include <memory>

#include "aio/wakeup_batching.hpp"
#include "runtime/log.hpp"

namespace boost::asio {
class io_context;
}

namespace dynamo::aio {

class ControlLoop {
 public:
  // `logger` must outlive it.
  explicit ControlLoop(runtime::Logger& logger, const WakeupBatching& batching = {});

  // Stops. Declare it before the objects that run on it, so that it is destroyed after them; their
  // destructors post to it.
  ~ControlLoop();

  ControlLoop(const ControlLoop&) = delete;
  ControlLoop& operator=(const ControlLoop&) = delete;

  boost::asio::io_context& io();

  // Starts the thread, once. Throws std::system_error if no thread can be created.
  void start();

  // True between start() and stop(). Any thread.
  bool is_running() const;

  // Ends the thread after its current handler; idempotent. Not on its own thread.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dynamo::aio
