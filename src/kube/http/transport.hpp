// HTTP requests to an API server, without Kubernetes semantics. The only interface that tests
// replace.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "aio/task.hpp"
#include "kube/object/error.hpp"

namespace dynamo::kube {

enum class HttpMethod : std::uint8_t { kGet, kPost, kPut, kPatch, kDelete };
std::string_view to_string(HttpMethod method);  // "GET"

// Not an aggregate: g++ 12 destroys a braced aggregate inside a co_await expression twice.
struct Request {
  Request() = default;
  Request(HttpMethod the_method, std::string the_target)
      : method(the_method), target(std::move(the_target)) {}

  HttpMethod method = HttpMethod::kGet;
  std::string target;  // path and query, escaped
  std::string accept = "application/json";
  std::string content_type = "application/json";  // sent only with a body
  std::string body;
  std::chrono::milliseconds deadline{10'000};  // for everything; of a stream: until the headers
};

struct Response {
  int status = 0;
  std::string body;
  std::optional<std::chrono::seconds> retry_after;
  std::optional<std::chrono::system_clock::time_point> date;  // the server's clock
};

// The body of a streaming response, one line at a time.
class Stream {
 public:
  virtual ~Stream() = default;  // closes

  // The next line without its end. FailureKind::kClosed after the last one, kDeadline if none came
  // within `idle`, kConnect if the connection broke (an incomplete line is dropped), kProtocol for
  // a line longer than the transport's limit. After a failure the stream is over, and every call
  // returns that failure. One call at a time; the stream must outlive it.
  virtual aio::Task<Result<std::string>> next_line(std::chrono::milliseconds idle) = 0;
};

// Used only on its loop's thread. Implementations limit the connections per host, reuse them, limit
// the size of an answer, and return kCancelled when the awaiting coroutine is cancelled. A request
// on a reused connection that the server had closed, or on which it is silent, is sent once more on
// a new one if that is safe.
class Transport {
 public:
  virtual ~Transport() = default;

  // Any HTTP answer is a success here, regardless of its status.
  virtual aio::Task<Result<Response>> send(Request request) = 0;

  // An answer other than 200 is a failed result of kind kStatus with the body in `text`, which
  // Client turns into a proper error.
  virtual aio::Task<Result<std::unique_ptr<Stream>>> open(Request request) = 0;
};

}  // namespace dynamo::kube
