// How requests reach an API server: HTTP as bytes, no Kubernetes in it. The one seam that tests
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
#include "kube/error.hpp"

namespace dynamo::kube {

enum class Verb : std::uint8_t { kGet, kPost, kPut, kPatch, kDelete };
std::string_view to_string(Verb verb);  // "GET"

// Not an aggregate: g++ 12 destroys a braced aggregate inside of a co_await expression twice.
struct Request {
  Request() = default;
  Request(Verb the_verb, std::string the_target) : verb(the_verb), target(std::move(the_target)) {}

  Verb verb = Verb::kGet;
  std::string target;  // path and query, escaped
  std::string accept = "application/json";
  std::string content_type = "application/json";  // sent with a body only
  std::string body;
  std::chrono::milliseconds deadline{10'000};  // for all of it; of a stream: up to the headers
};

struct Response {
  int status = 0;
  std::string body;
  std::optional<std::chrono::seconds> retry_after;
  std::optional<std::chrono::system_clock::time_point> date;  // by the server's clock
};

// The body of an answer that does not end: a line at a time.
class Stream {
 public:
  virtual ~Stream() = default;  // closes

  // The next line without its end. Failure::kClosed after the last one, kDeadline when none came
  // within `idle`, kConnect when the connection broke (what was left of a line is dropped),
  // kProtocol for a line longer than the transport's limit. After a failure the stream is over, and
  // every call answers with it. One call at a time; the stream outlives it.
  virtual aio::Task<Result<std::string>> next_line(std::chrono::milliseconds idle) = 0;
};

// Used on its loop's thread only. Implementations bound the connections per host, reuse them, limit
// the size of an answer, and end early with kCancelled when the awaiting coroutine is cancelled. A
// request on a reused connection that the server had closed, or on which it is silent, is sent once
// more on a new one if that is safe.
class Transport {
 public:
  virtual ~Transport() = default;

  // Any HTTP answer is a success here, whatever its status.
  virtual aio::Task<Result<Response>> send(Request request) = 0;

  // An answer other than 200 is a failed result of kind kStatus that holds its body's text as
  // `text`; Client makes a proper error of it.
  virtual aio::Task<Result<std::unique_ptr<Stream>>> open(Request request) = 0;
};

}  // namespace dynamo::kube
