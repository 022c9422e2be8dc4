// Cancels what a coroutine awaits, from outside the coroutine.
#pragma once

#include <memory>

#include "aio/task.hpp"

namespace dynamo::aio {

// On the loop's thread.
class Interrupt {
 public:
  // Cancels the current await. Has no effect if there is none.
  void ring();

  // Awaits `task`, one at a time. Returns false if ring() cancelled it and it has ended. Exceptions
  // of the task propagate. Cancelling the awaiting coroutine cancels the task, too. A task that
  // ignores cancellation is awaited to its end: it never continues in the background.
  Task<bool> await(Task<> task);

 private:
  struct PendingAwait;
  std::weak_ptr<PendingAwait> awaited_;
};

}  // namespace dynamo::aio
