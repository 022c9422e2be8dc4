// Ends what a coroutine awaits, from outside of it.
#pragma once

#include <memory>

#include "aio/task.hpp"

namespace dynamo::aio {

// On the loop's thread.
class Interrupt {
 public:
  // Cancels what is awaited now. Nothing is: nothing happens, then or later.
  void ring();

  // Awaits `task`, one at a time. False: it was cancelled by ring(), and is over. An exception that
  // leaves it otherwise leaves this. It is cancelled with whoever awaits it, too. What bears no
  // cancellation is waited for nevertheless: nothing runs on behind its owner's back.
  Task<bool> await(Task<> task);

 private:
  struct Awaited;
  std::weak_ptr<Awaited> awaited_;
};

}  // namespace dynamo::aio
