// Sends many requests concurrently, within limits.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

#include "aio/task.hpp"
#include "reconciler/model/engine_client.hpp"

namespace dynamo::reconciler::model {

struct CallPoolOptions {
  CallPoolOptions() = default;
  std::size_t max_concurrent = 10;
  std::chrono::milliseconds request_timeout{15'000};
  std::chrono::milliseconds total_timeout{30'000};
  // Called before each request, and again right before it is sent: false once we are not the
  // leader. Empty: always allowed.
  std::function<bool()> can_send;
};

// Sends the requests in order, at most `max_concurrent` at a time, and continues after failures.
// Returns the answers in the order of the requests, after at most `total_timeout` of real time.
// Requests not sent by then get a problem that says so. Cancellation cancels all running requests
// and returns after the last one has ended. `client` must outlive it.
aio::Task<std::vector<EngineAnswer>> call_all(EngineClient& client,
                                              std::vector<EngineRequest> requests,
                                              CallPoolOptions options);

}  // namespace dynamo::reconciler::model
