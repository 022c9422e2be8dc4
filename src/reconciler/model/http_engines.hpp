// The real way to the inference servers: HTTP/1.1, one connection for each request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "reconciler/model/engines.hpp"

namespace dynamo::reconciler::model {

// Where to connect to: an address and a port.
struct Place {
  std::string address = {};
  std::uint16_t port = 0;
};

struct HttpEnginesOptions {
  HttpEnginesOptions() = default;
  std::size_t answer_bytes = std::size_t{1} << 20U;
  std::size_t header_bytes = std::size_t{16} << 10U;
  std::string user_agent = {};  // "PROGRAM/VERSION"
  // Where the server of an endpoint is; nothing: nowhere. Empty: at its own address and port; names
  // are not looked up, as nobody vouches for what they mean.
  std::function<std::optional<Place>(const std::string& host, std::uint16_t port)> resolver;
  // For tests, whose servers listen on loopback. Else nothing is sent to what why_out_of_reach()
  // refuses.
  bool reaches_everywhere = false;
};

// Redirects are not followed, no credentials are sent, an answer beyond the limit is none.
class HttpEngines final : public Engines {
 public:
  explicit HttpEngines(HttpEnginesOptions options);
  aio::Task<EngineAnswer> ask(EngineRequest request) override;

 private:
  const HttpEnginesOptions options_;
};

}  // namespace dynamo::reconciler::model
