// The production transport: HTTP/1.1 over TLS to one API server.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "kube/config/config.hpp"
#include "kube/config/credentials.hpp"
#include "kube/http/transport.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::kube {

struct HttpTransportOptions {
  // Concurrent send() calls; further calls wait in order, each within its own deadline. A caller
  // with a hundred calls in flight needs a hundred.
  std::size_t connections = 2;
  // Concurrently open streams, each on an additional connection. Further streams wait in order.
  std::size_t streams = 64;
  // An unused connection is closed after this time. Until then it counts as work of the loop.
  std::chrono::milliseconds idle = std::chrono::seconds(60);
  std::size_t answer_bytes = std::size_t{32} << 20U;
  std::size_t line_bytes = std::size_t{8} << 20U;
  // "PROGRAM/VERSION". PROGRAM owns the fields that are written without a field manager.
  std::string user_agent = {};
  CredentialsOptions credentials = {};
};

// Used only on the thread of `loop`, which one thread at a time runs. It has no thread of its own,
// but names (not addresses) are resolved by Asio's resolver thread, for which the destructor of
// `loop` may have to wait. Idempotent requests (GET, PUT, DELETE) are sent again on a new
// connection if a reused one broke before any answer or was silent for half of the deadline; other
// requests only if no byte of them was sent. So a PUT or DELETE may be executed twice: a request
// with a version then returns a Conflict, which does not show which client wrote. If a reused
// connection breaks or is silent, the transport closes all idle ones. After a 401 tokens are
// reread, and the request is sent once more if the token has changed.
class HttpTransport final : public Transport {
 public:
  // `loop`, `clock` and `logger` must outlive it and the coroutines that use it.
  HttpTransport(boost::asio::io_context& loop, ConnectionConfig config,
                HttpTransportOptions options, const runtime::Clock& clock, runtime::Logger& logger);
  ~HttpTransport() override;  // closes unused connections; running requests continue
  HttpTransport(const HttpTransport&) = delete;
  HttpTransport& operator=(const HttpTransport&) = delete;

  aio::Task<Result<Response>> send(Request request) override;
  aio::Task<Result<std::unique_ptr<Stream>>> open(Request request) override;

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace dynamo::kube
