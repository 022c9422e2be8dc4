// Calls the inference servers over HTTP/1.1, with one connection per request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "reconciler/model/engine_client.hpp"

namespace dynamo::reconciler::model {

// The endpoint to connect to: an address and a port.
struct HostPort {
  std::string address = {};
  std::uint16_t port = 0;
};

struct HttpEngineClientOptions {
  HttpEngineClientOptions() = default;
  std::size_t answer_bytes = std::size_t{1} << 20U;
  std::size_t header_bytes = std::size_t{16} << 10U;
  std::string user_agent = {};  // "PROGRAM/VERSION"
  // Maps an endpoint to the place to connect to; nullopt: none. Empty: the endpoint's own address
  // and port. Names are not resolved, because DNS answers are not authenticated.
  std::function<std::optional<HostPort>(const std::string& host, std::uint16_t port)> resolver;
  // For tests, whose servers listen on loopback. Otherwise nothing is sent to addresses that
  // why_out_of_reach() rejects.
  bool reaches_everywhere = false;
};

// Does not follow redirects and sends no credentials; treats an answer above the limit as a
// failure.
class HttpEngineClient final : public EngineClient {
 public:
  explicit HttpEngineClient(HttpEngineClientOptions options);
  aio::Task<EngineAnswer> ask(EngineRequest request) override;

 private:
  const HttpEngineClientOptions options_;
};

}  // namespace dynamo::reconciler::model
