#include "kube/object/status.hpp"

#include <algorithm>
#include <string>

#include "kube/object/object.hpp"
#include "text/http_date.hpp"

namespace dynamo::kube {
namespace {

constexpr std::size_t kLongestText = 512;

std::string reason_of_code(int code) {
  switch (code) {
    case 400:
      return "BadRequest";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "NotFound";
    case 405:
      return "MethodNotAllowed";
    case 406:
      return "NotAcceptable";
    case 409:
      return "Conflict";
    case 410:
      return "Expired";
    case 413:
      return "RequestEntityTooLarge";
    case 415:
      return "UnsupportedMediaType";
    case 422:
      return "Invalid";
    case 429:
      return "TooManyRequests";
    case 500:
      return "InternalError";
    case 503:
      return "ServiceUnavailable";
    case 504:
      return "Timeout";
    default:
      return "HTTP " + std::to_string(code);
  }
}

// One line without control characters, of bounded length: it goes into a log.
std::string first_line(std::string_view text) {
  text = text.substr(0, text.find_first_of("\r\n"));
  const bool cut = text.size() > kLongestText;
  std::string line(text.substr(0, kLongestText));
  std::ranges::replace_if(
      line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  if (cut) line += "...";
  return line;
}

Error error_of(std::string_view what, int code, std::string_view reason, std::string_view message) {
  Error error;
  error.failure = FailureKind::kStatus;
  error.http_status = code;
  error.reason = reason.empty() ? reason_of_code(code) : std::string(reason);
  // Old servers report Gone, newer ones Expired; both require a new list.
  if (code == 410) error.reason = "Expired";
  error.text = std::string(what) + ": " + error.reason;
  if (const std::string line = first_line(message); !line.empty()) error.text += ": " + line;
  return error;
}

}  // namespace

Error error_of_status(std::string_view what, json::Value status) {
  Error error = error_of(what, static_cast<int>(status["code"].integer().value_or(0)),
                         status["reason"].string_or_empty(), status["message"].string_or_empty());
  const auto seconds = status["details"]["retryAfterSeconds"].integer();
  if (seconds && *seconds > 0) {
    error.retry_after = std::min(std::chrono::seconds(*seconds), text::kLongestRetryAfter);
  }
  return error;
}

Error error_of_answer(std::string_view what, int http_status, std::string_view body,
                      std::optional<std::chrono::seconds> retry_after) {
  const auto parsed = Object::parse(body);
  if (!parsed || parsed->kind() != "Status") {
    Error error = error_of(what, http_status, {}, body);
    error.retry_after = retry_after;
    return error;
  }
  Error error = error_of_status(what, parsed->root());
  error.http_status = http_status;
  if (retry_after) error.retry_after = retry_after;
  return error;
}

Error with_subject(Error error, std::string_view what) {
  error.text = std::string(what) + ": " + error.text;
  return error;
}

}  // namespace dynamo::kube
