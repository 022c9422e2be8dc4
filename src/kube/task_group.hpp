// Owns running coroutines, so that whoever starts some can stop them and know that they are over.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "kube/task.hpp"
#include "runtime/log.hpp"

namespace dynamo::kube {

class TaskGroup {
 public:
  // `loop` and `logger` must outlive it. `loop` is run by one thread at a time.
  TaskGroup(boost::asio::io_context& loop, runtime::Logger& logger);
  ~TaskGroup();  // stop()
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  // Starts a coroutine on the loop. An exception that leaves it is logged under `name`, and ends
  // only that coroutine. After stop() nothing is started any more.
  void spawn(std::string name, std::function<Task<>()> body);

  // Cancels all of them and returns when none runs any more. From another thread than the loop's
  // while the loop runs, or while it stands still; then it runs the loop itself. What ignores
  // cancellation for 5 seconds is a bug: logged as an error, and asserted in debug.
  void stop();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace dynamo::kube
