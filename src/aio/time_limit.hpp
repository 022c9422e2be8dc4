// Coroutines that must not take for ever.
#pragma once

#include <chrono>

#include "aio/task.hpp"

namespace dynamo::aio {

// Awaits `task`, for `limit` of real time at most. False: it was cancelled for that, and is over.
// An exception that leaves it before leaves this. It is cancelled with whoever awaits it, too. What
// bears no cancellation is waited for nevertheless: nothing runs on behind its owner's back.
Task<bool> within(std::chrono::milliseconds limit, Task<> task);

}  // namespace dynamo::aio
