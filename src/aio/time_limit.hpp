// Time limits for coroutines.
#pragma once

#include <chrono>

#include "aio/task.hpp"

namespace dynamo::aio {

// Awaits `task` for at most `limit` of real time. Returns false if the limit cancelled it and it
// has ended. Earlier exceptions of the task propagate. Cancelling the awaiting coroutine cancels
// the task, too. A task that ignores cancellation is awaited to its end: it never continues in the
// background.
Task<bool> within(std::chrono::milliseconds limit, Task<> task);

}  // namespace dynamo::aio
