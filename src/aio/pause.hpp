// Waiting on the loop.
#pragma once

#include <chrono>

#include "aio/task.hpp"

namespace dynamo::aio {

// Waits without holding up the loop. Answers true, or false when the coroutine was cancelled in
// between: then it is to come to its end.
Task<bool> pause(std::chrono::milliseconds length);

}  // namespace dynamo::aio
