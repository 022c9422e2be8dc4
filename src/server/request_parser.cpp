#include "server/request_parser.hpp"

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <cstring>
#include <utility>

#include "server/answer_text.hpp"
#include "server/limits.hpp"

namespace dynamo::server {

namespace http = boost::beast::http;

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool equals_ignoring_case(std::string_view text, std::string_view expected) {
  return boost::beast::iequals({text.data(), text.size()}, {expected.data(), expected.size()});
}

// Ensures room for `more` bytes and the padding after `size` used ones. Doubles the buffer, so that
// a body in small chunks has amortised constant copying cost.
void make_room(BufferPool& pool, Buffer& buffer, std::size_t size, std::size_t more) {
  const std::size_t needed = size + more + kBodyPadding;
  if (needed <= buffer.capacity()) return;
  Buffer larger = pool.acquire(std::max(needed, 2 * buffer.capacity()));
  if (size > 0) std::memcpy(larger.data(), buffer.data(), size);
  pool.release(std::exchange(buffer, std::move(larger)));
}

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

void Excerpt::assign(std::string_view text) {
  size_ = std::min(text.size(), bytes_.size());
  std::transform(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size_), bytes_.begin(),
                 [](char byte) { return byte >= 0x20 && byte < 0x7f ? byte : '?'; });
}

RequestParser::RequestParser(std::size_t limit) : limit_(limit) {
  header_limit(static_cast<std::uint32_t>(kMaxHeaderBytes));
  body_limit(boost::none);  // our limit is checked once the header is known, with the other rules
}

RequestParser::Progress RequestParser::parse_header(std::string_view bytes, std::size_t& consumed) {
  first_byte_ = bytes.data();
  consumed = put(boost::asio::const_buffer(bytes.data(), bytes.size()), error_);
  first_byte_ = nullptr;
  if (error_ == http::error::need_more) return Progress::kMore;
  if (error_ == http::error::header_limit) return Progress::kHeaderTooLong;
  if (error_) return Progress::kBroken;
  if (is_done()) return Progress::kDone;
  return is_header_done() ? Progress::kHeader : Progress::kMore;
}

RequestParser::Progress RequestParser::parse_chunks(std::string_view bytes, std::size_t& consumed,
                                                    BufferPool& pool, Buffer& body,
                                                    std::size_t& body_size) {
  make_room(pool, body, body_size, 0);
  // Beast asserts that the last chunk has five bytes when it resumes one that began with these.
  if (bytes == "0\r\n") {
    consumed = 0;
    return Progress::kMore;
  }
  sink_ = {&pool, &body, &body_size};
  eager(true);
  consumed = put(boost::asio::const_buffer(bytes.data(), bytes.size()), error_);
  sink_ = {};
  if (error_ == http::error::need_more) return Progress::kMore;
  if (error_ == http::error::body_limit) return Progress::kBodyTooLong;
  if (error_) return Progress::kBroken;
  return is_done() ? Progress::kDone : Progress::kMore;
}

void RequestParser::note(HeaderFault fault, StringView value) {
  // Framing faults take precedence over content faults: a request that cannot be framed must
  // be refused for that reason.
  if (fault_ != HeaderFault::kNone && fault != HeaderFault::kTransferEncoding) return;
  fault_ = fault;
  fault_value_.assign({value.data(), value.size()});
}

void RequestParser::on_request_impl(http::verb method, StringView method_text, StringView target,
                                    int version, ErrorCode&) {
  is_post_ = method == http::verb::post;
  is_head_ = method == http::verb::head;
  is_http_1_0_ = version == 10;
  method_.assign({method_text.data(), method_text.size()});
  target_offset_ = static_cast<std::size_t>(target.data() - first_byte_);
  target_size_ = target.size();
}

void RequestParser::on_field_impl(http::field name, StringView, StringView raw_value, ErrorCode&) {
  if (header_done_) return;  // trailers are not trusted
  const std::string_view value(raw_value.data(), raw_value.size());
  switch (name) {
    case http::field::transfer_encoding:
      // Beast treats any other coding as "no body", which enables request smuggling.
      if (!equals_ignoring_case(trimmed(value), "chunked") || is_http_1_0_) {
        note(HeaderFault::kTransferEncoding, raw_value);
      }
      break;
    case http::field::content_type:
      has_content_type_ = true;
      if (!equals_ignoring_case(trimmed(value.substr(0, value.find(';'))), "application/json")) {
        note(HeaderFault::kContentType, raw_value);
      }
      break;
    case http::field::content_encoding:
      if (!equals_ignoring_case(trimmed(value), "identity")) {
        note(HeaderFault::kContentEncoding, raw_value);
      }
      break;
    case http::field::expect:
      if (equals_ignoring_case(trimmed(value), "100-continue")) {
        expects_continue_ = !is_http_1_0_;
      } else {
        note(HeaderFault::kExpectation, raw_value);
      }
      break;
    default:
      break;
  }
}

void RequestParser::on_header_impl(ErrorCode&) {
  header_done_ = true;
  if (chunked()) body_limit(limit_);
}

void RequestParser::on_body_init_impl(boost::optional<std::uint64_t> const&, ErrorCode&) {}

// Bodies with a length bypass the parser: they are read from the socket into the handler's buffer.
std::size_t RequestParser::on_body_impl(StringView body, ErrorCode&) {
  return body.size();
}

void RequestParser::on_chunk_header_impl(std::uint64_t, StringView, ErrorCode&) {}

std::size_t RequestParser::on_chunk_body_impl(std::uint64_t, StringView body, ErrorCode&) {
  make_room(*sink_.pool, *sink_.body, *sink_.size, body.size());
  std::memcpy(sink_.body->data() + *sink_.size, body.data(), body.size());
  *sink_.size += body.size();
  return body.size();
}

void RequestParser::on_finish_impl(ErrorCode&) {}

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
