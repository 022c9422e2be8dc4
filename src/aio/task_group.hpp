// Owns running coroutines, so that whoever starts some can stop them and know that they are over.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "aio/task.hpp"
#include "runtime/log.hpp"

namespace dynamo::aio {

// Between a task's end by an exception and its next start: the first, doubled up to the longest,
// each with up to half of it off by chance.
struct TaskGroupOptions {
  std::chrono::milliseconds first_pause{1'000};
  std::chrono::milliseconds longest_pause{30'000};
};

class TaskGroup {
 public:
  // `loop` and `logger` must outlive it. `loop` stays with the thread that runs it from the first
  // task on until it is stopped: from that, stop() knows whether it stands still.
  TaskGroup(boost::asio::io_context& loop, runtime::Logger& logger,
            const TaskGroupOptions& options = {});
  ~TaskGroup();  // stop()
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  // Starts a coroutine on the loop. An exception that leaves it is logged under `name`, and after a
  // pause `body` is called again: it must bear that. Other coroutines go on. After stop() nothing
  // is started any more.
  void spawn(std::string name, std::function<Task<>()> body);

  // Cancels all of them and returns when none runs any more. From another thread than the loop's
  // while the loop runs, or while it stands still; then it runs the loop itself. What ignores
  // cancellation for 5 seconds is a bug: logged as an error, and asserted in debug.
  void stop();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace dynamo::aio
