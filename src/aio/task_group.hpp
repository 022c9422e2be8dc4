// Owns running coroutines, so that their owner can stop them and wait for their end.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "aio/task.hpp"
#include "runtime/log.hpp"

namespace dynamo::aio {

// Pause before a task is restarted after an exception: the first, doubled up to the longest, each
// reduced by a random part of up to one half.
struct TaskGroupOptions {
  std::chrono::milliseconds first_pause{1'000};
  std::chrono::milliseconds longest_pause{30'000};
};

class TaskGroup {
 public:
  // `loop` and `logger` must outlive it. From the first task on, one thread must run `loop` until
  // it is stopped: stop() uses this to detect whether the loop is running.
  TaskGroup(boost::asio::io_context& loop, runtime::Logger& logger,
            const TaskGroupOptions& options = {});
  ~TaskGroup();  // stop()
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  // Starts a coroutine on the loop. If an exception leaves it, that is logged under `name`, and
  // `body` is called again after a pause: `body` must support that. Other coroutines continue.
  // After stop() nothing is started.
  void spawn(std::string name, std::function<Task<>()> body);

  // Cancels all coroutines and returns when none is running. Call it from another thread than the
  // loop's while the loop runs; if the loop does not run, stop() runs it. A coroutine that ignores
  // cancellation for 5 seconds is a bug: it is logged as an error, and asserted in debug builds.
  void stop();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace dynamo::aio
