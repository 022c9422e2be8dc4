// The contract between the HTTPS endpoint, which knows HTTP and TLS, and what answers the requests.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace dynamo::server {

// A parser that works in place may read (and write) this many bytes behind the body; they are zero.
inline constexpr std::size_t kBodyPadding = 64;

// Everything in it lives until handle() returns.
struct HttpRequest {
  std::string_view path;   // without the query, not percent-decoded
  std::string_view query;  // without the question mark
  std::span<char> body;    // writable; kBodyPadding zero bytes follow
  // When the answer must have left: the client's ?timeout= less a margin, counted from when
  // the request came, see ArrivalClock. max() when the client named none.
  std::chrono::steady_clock::time_point deadline;
};

// Filled by the handler. Reused from request to request and cleared before each, so that its string
// keeps its capacity. A status of 503 is sent with Retry-After: 1 and closes the connection.
struct HttpAnswer {
  unsigned status = 200;
  std::string_view content_type = "application/json";  // a constant
  std::string body;

  void clear() {
    status = 200;
    content_type = "application/json";
    body.clear();
  }
};

// One per event loop, used by that loop's thread only: it owns reused buffers and needs no lock.
class RequestHandler {
 public:
  virtual ~RequestHandler() = default;

  // False: the client gets 404 before its body is read.
  virtual bool knows(std::string_view path) const = 0;

  // Must not block. May throw: the client gets 500, the defect is counted and logged, the
  // connection closes and the process lives.
  virtual void handle(const HttpRequest& request, HttpAnswer& answer) = 0;
};

// Called once per event loop, before its thread starts.
using HandlerFactory = std::function<std::unique_ptr<RequestHandler>()>;

}  // namespace dynamo::server
