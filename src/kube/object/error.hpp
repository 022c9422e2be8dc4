// Errors of calls to the API server, as values.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/result.hpp"

namespace dynamo::kube {

enum class FailureKind : std::uint8_t {
  kConfig,     // kubeconfig, credentials or CA are unusable: a retry alone does not help
  kConnect,    // no connection: name, address, TLS, or it broke before an answer
  kDeadline,   // no answer in time
  kCancelled,  // we are being stopped
  kProtocol,   // the answer is not HTTP, or not the expected JSON
  kTooLarge,   // the answer exceeds the size limit
  kClosed,     // the end of a watch, which is not an error in itself
  kStatus,     // the API server answered with a Status; http_status and reason are set
};

struct Error {
  FailureKind failure = FailureKind::kProtocol;
  int http_status = 0;  // kStatus only
  // The machine-readable reason of the Status: "NotFound", "AlreadyExists", "Conflict", "Expired",
  // "Forbidden", "Unauthorized", "TooManyRequests"… Derived from http_status if the Status has
  // none.
  std::string reason;
  std::string text;  // one line for users: the request and its result; no secrets
  std::optional<std::chrono::seconds> retry_after;

  bool is(std::string_view wanted) const {
    return failure == FailureKind::kStatus && reason == wanted;
  }
};

using runtime::throw_exception_from_error;

template <class T>
using Result = runtime::Result<T, Error>;

}  // namespace dynamo::kube
