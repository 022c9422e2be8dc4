// Interface of the client that sends requests to the inference servers.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "aio/task.hpp"
#include "kube/http/transport.hpp"

namespace dynamo::reconciler::model {

inline constexpr std::string_view kAnotherLeads = "it was not asked: another replica leads";

// Not an aggregate: g++ 12 destroys a braced aggregate inside of a co_await expression twice.
struct EngineRequest {
  EngineRequest() = default;

  kube::HttpMethod method = kube::HttpMethod::kPost;
  std::string host;  // an address as in the EndpointSlice
  std::uint16_t port = 0;
  std::string path;                       // escaped
  std::string body;                       // JSON
  std::chrono::milliseconds deadline{0};  // for the whole exchange, in real time
  // Called once more after connecting, right before the request is sent. Empty: always allowed.
  std::function<bool()> can_send = {};
};

struct EngineAnswer {
  EngineAnswer() = default;

  bool was_asked = false;
  bool was_withheld =
      false;            // not sent because `can_send` returned false; not a failure of the server
  int status = 0;       // of a complete answer; 0: there was none
  std::string problem;  // why there is no answer or no success; one line
  bool is_success() const { return problem.empty() && status / 100 == 2; }
};

// On the loop's thread. Any number of concurrent requests; throws only on cancellation.
class EngineClient {
 public:
  virtual ~EngineClient() = default;
  virtual aio::Task<EngineAnswer> ask(EngineRequest request) = 0;
};

}  // namespace dynamo::reconciler::model
