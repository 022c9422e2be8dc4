// How a call to the API server fails, as a value.
#pragma once

#include <boost/system/result.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace dynamo::kube {

enum class Failure : std::uint8_t {
  kConfig,     // kubeconfig, credentials or CA cannot be used: retrying does not help by itself
  kConnect,    // no connection: name, address, TLS, or it broke before an answer
  kDeadline,   // no answer in time
  kCancelled,  // we are being stopped
  kProtocol,   // the answer is not HTTP, or not the JSON that was asked for
  kTooLarge,   // the answer has more bytes than are taken
  kClosed,     // the end of a watch: not an error in itself
  kStatus,     // the API server answered with a Status; http_status and reason are set
};

struct Error {
  Failure failure = Failure::kProtocol;
  int http_status = 0;  // kStatus only
  // The Status' machine-readable word: "NotFound", "AlreadyExists", "Conflict", "Expired",
  // "Forbidden", "Unauthorized", "TooManyRequests"… Derived from http_status when it has none.
  std::string reason;
  std::string text;  // one line for people: what was asked, what came; no secrets
  std::optional<std::chrono::seconds> retry_after;

  bool is(std::string_view wanted) const { return failure == Failure::kStatus && reason == wanted; }
};

// Found by argument-dependent lookup when value() is called on a failed result, as tests do.
[[noreturn]] inline void throw_exception_from_error(const Error& error,
                                                    const boost::source_location&) {
  throw std::runtime_error(error.text);
}

template <class T>
using Result = boost::system::result<T, Error>;

}  // namespace dynamo::kube
