#include "server/request_rules.hpp"

#include <cstdint>

#include "server/answer_text.hpp"

namespace dynamo::server {

namespace {

std::string found(std::string_view rule, std::string_view value) {
  std::string text(rule);
  text.append(", found \"");
  text.append(value);
  text.append("\"");
  return text;
}

// For a path, which may have 16 KiB of any bytes.
std::string excerpt_of(std::string_view text) {
  Excerpt excerpt;
  excerpt.assign(text);
  return std::string(excerpt.view());
}

}  // namespace

std::optional<RequestRefusal> refusal_of(const RequestParser& request, std::string_view path,
                                         const RequestHandler& handler,
                                         std::size_t max_body_bytes) {
  if (request.fault() == HeaderFault::kTransferEncoding) {
    return RequestRefusal{400, found("Transfer-Encoding must be \"chunked\" alone, in HTTP/1.1",
                                     request.fault_value())};
  }
  if (!handler.knows(path)) {
    return RequestRefusal{404,
                          found("the path must be one that this server answers", excerpt_of(path))};
  }
  if (!request.is_post()) {
    return RequestRefusal{405, found("the method must be POST", request.method()), kAllowPostLine};
  }
  switch (request.fault()) {
    case HeaderFault::kContentType:
      return RequestRefusal{415,
                            found("Content-Type must be application/json", request.fault_value())};
    case HeaderFault::kContentEncoding:
      return RequestRefusal{415, found("Content-Encoding must be identity", request.fault_value())};
    case HeaderFault::kExpectation:
      return RequestRefusal{417, found("Expect must be 100-continue", request.fault_value())};
    case HeaderFault::kTransferEncoding:
    case HeaderFault::kNone:
      break;
  }
  if (!request.has_content_type()) {
    return RequestRefusal{415, "Content-Type must be application/json, found none"};
  }
  const std::uint64_t length = request.content_length().value_or(0);
  if (length > max_body_bytes) {
    return RequestRefusal{413, "the body must not exceed " + std::to_string(max_body_bytes) +
                                   " bytes, found Content-Length " + std::to_string(length)};
  }
  return std::nullopt;
}

}  // namespace dynamo::server
