// The interface between the HTTPS endpoint, which implements HTTP and TLS, and the request
// handlers.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace dynamo::server {

// An in-place parser may read (and write) this many bytes after the body; they are zero.
inline constexpr std::size_t kBodyPadding = 64;

// Everything in it is valid until handle() returns.
struct HttpRequest {
  std::string_view path;   // without the query, not percent-decoded
  std::string_view query;  // without the question mark
  std::span<char> body;    // writable; kBodyPadding zero bytes follow
  // When the answer must be sent: the client's ?timeout= minus a margin, counted from the arrival
  // of the request, see ArrivalClock. max() if the client set none.
  std::chrono::steady_clock::time_point deadline;
};

// Memory above this size is freed before the next answer. Only conversions of large objects need
// more.
inline constexpr std::size_t kKeptAnswerBytes = std::size_t{1} << 20U;

// Clears a buffer for reuse.
inline void clear_answer_buffer(std::string& buffer) {
  if (buffer.capacity() > kKeptAnswerBytes) std::string().swap(buffer);
  buffer.clear();
}

// Filled by the handler. Cleared and reused for each request, so that the string keeps its
// capacity. A status of 503 is sent with Retry-After: 1 and closes the connection.
struct HttpAnswer {
  unsigned status = 200;
  std::string_view content_type = "application/json";  // a constant
  std::string body;

  void clear() {
    status = 200;
    content_type = "application/json";
    clear_answer_buffer(body);
  }
};

// One per event loop, used only by that loop's thread: it owns reused buffers and needs no lock.
class RequestHandler {
 public:
  virtual ~RequestHandler() = default;

  // False: the client gets 404 before its body is read.
  virtual bool knows(std::string_view path) const = 0;

  // Must not block. May throw: the client gets 500, the defect is counted and logged, and the
  // connection closes; the process continues.
  virtual void handle(const HttpRequest& request, HttpAnswer& answer) = 0;
};

// Called once per event loop, before its thread starts.
using HandlerFactory = std::function<std::unique_ptr<RequestHandler>()>;

}  // namespace dynamo::server
