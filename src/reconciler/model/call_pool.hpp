// Many requests at once, within bounds.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

#include "aio/task.hpp"
#include "reconciler/model/engines.hpp"

namespace dynamo::reconciler::model {

struct CallPoolOptions {
  CallPoolOptions() = default;
  std::size_t at_once = 10;
  std::chrono::milliseconds each{15'000};
  std::chrono::milliseconds all{30'000};
  // Asked before each request, and again when it is about to be sent: false once we do not lead any
  // more. Empty: always.
  std::function<bool()> may_send;
};

// Sends them in their order, `at_once` at a time, and goes on whatever becomes of one; answers in
// the order of the requests, after `all` of real time at the latest. What has not been sent by then
// has a problem that says so. When it is cancelled, all requests under way are, and it returns when
// none is left. `engines` must outlive it.
aio::Task<std::vector<EngineAnswer>> ask_all(Engines& engines, std::vector<EngineRequest> requests,
                                             CallPoolOptions options);

}  // namespace dynamo::reconciler::model
