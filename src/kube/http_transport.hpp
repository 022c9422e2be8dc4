// The real transport: HTTP/1.1 over TLS to one API server.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "kube/config.hpp"
#include "kube/credentials.hpp"
#include "kube/transport.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::kube {

struct HttpTransportOptions {
  // Of send() at once; more wait for one in their order, each within its own deadline. Whoever has
  // a hundred calls in flight allows a hundred.
  std::size_t connections = 2;
  // Streams that are open at once, each on a connection of its own beside those. More wait
  // likewise.
  std::size_t streams = 64;
  // An unused connection is closed after that. Until then it counts as work of the loop.
  std::chrono::milliseconds idle = std::chrono::seconds(60);
  std::size_t answer_bytes = std::size_t{32} << 20U;
  std::size_t line_bytes = std::size_t{8} << 20U;
  // "PROGRAM/VERSION"; PROGRAM is whose the fields are that are written without a manager.
  std::string user_agent = {};
  CredentialsOptions credentials = {};
};

// On the thread of `loop` only, which one thread runs at a time. No thread of its own; but names
// (not addresses) are looked up by Asio's resolver, which has one, and which a destructor of `loop`
// may have to wait for. Idempotent requests (GET, PUT, DELETE) are sent a second time, on a new
// connection, when a reused one broke before any answer or was silent for half of the deadline;
// others only when nothing of them was sent. So a PUT or DELETE may have been done twice: what
// names a version is answered by a Conflict then, which says nothing of who wrote. Either failure
// of a reused connection closes all unused ones. A 401 makes tokens be read again, and the request
// is sent once more if there is another one then.
class HttpTransport final : public Transport {
 public:
  // `loop`, `clock` and `logger` must outlive it and the coroutines that use it.
  HttpTransport(boost::asio::io_context& loop, ConnectionConfig config,
                HttpTransportOptions options, const runtime::Clock& clock, runtime::Logger& logger);
  ~HttpTransport() override;  // closes unused connections; requests under way go on
  HttpTransport(const HttpTransport&) = delete;
  HttpTransport& operator=(const HttpTransport&) = delete;

  aio::Task<Result<Response>> send(Request request) override;
  aio::Task<Result<std::unique_ptr<Stream>>> open(Request request) override;

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace dynamo::kube
