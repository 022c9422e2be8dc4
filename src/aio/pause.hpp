// Waits on the loop.
#pragma once

#include <chrono>

#include "aio/task.hpp"

namespace dynamo::aio {

// Waits without blocking the loop. Returns true, or false if the coroutine was cancelled: then it
// must end.
Task<bool> pause(std::chrono::milliseconds length);

}  // namespace dynamo::aio
