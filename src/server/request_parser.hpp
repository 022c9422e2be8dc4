// Parses the header of one request with Beast's incremental parser, and applies the rules that do
// not depend on the body. The parser keeps what the endpoint decides on and stores no fields. Only
// src/server/*.cpp and this header, which only they include, use Beast.
#pragma once

#include <algorithm>
#include <array>
#include <boost/beast/http/basic_parser.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "server/buffer_pool.hpp"
#include "server/handler.hpp"

namespace dynamo::server {

// The first bytes of a refused value, for the error message: printable ASCII only.
class Excerpt {
 public:
  void assign(std::string_view text);
  std::string_view view() const { return {bytes_.data(), size_}; }

 private:
  std::array<char, 64> bytes_;
  std::size_t size_ = 0;
};

// Violations of our rules in a request that is valid HTTP.
enum class HeaderFault : std::uint8_t {
  kNone,
  kTransferEncoding,  // anything except a single "chunked"
  kContentType,       // not application/json
  kContentEncoding,   // not identity
  kExpectation,       // not 100-continue
};

// Parses one request; create a new one for the next. When it asks for more, pass the unconsumed
// bytes again, followed by more. It keeps no pointers into them.
class RequestParser final : public boost::beast::http::basic_parser<true> {
 public:
  enum class Progress : std::uint8_t {
    kMore,
    kHeader,
    kDone,
    kBroken,
    kHeaderTooLong,
    kBodyTooLong
  };

  // `limit` applies to the decoded bytes of chunked bodies.
  explicit RequestParser(std::size_t limit);

  // Parses up to the end of the header (kHeader), or of the request if its body is empty (kDone).
  // `consumed` is the number of `bytes` that are no longer needed.
  Progress parse_header(std::string_view bytes, std::size_t& consumed);

  // Parses chunks and appends the decoded bytes to `body`, which grows from `pool` and always has
  // room for kBodyPadding bytes after them. Only if chunked().
  Progress parse_chunks(std::string_view bytes, std::size_t& consumed, BufferPool& pool,
                        Buffer& body, std::size_t& body_size);

  // Beast's message; after kBroken.
  std::string broken_text() const { return error_.message(); }

  // Valid once the header is parsed.
  bool is_post() const { return is_post_; }
  bool is_head() const { return is_head_; }
  bool is_http_1_0() const { return is_http_1_0_; }
  std::string_view method() const { return method_.view(); }

  // Offset of the target from the first byte passed to this parser.
  std::size_t target_offset() const { return target_offset_; }
  std::size_t target_size() const { return target_size_; }

  HeaderFault fault() const { return fault_; }
  std::string_view fault_value() const { return fault_value_.view(); }
  bool has_content_type() const { return has_content_type_; }
  bool expects_continue() const { return expects_continue_; }

 private:
  using ErrorCode = boost::beast::error_code;
  using StringView = boost::beast::string_view;

  struct ChunkSink {
    BufferPool* pool = nullptr;
    Buffer* body = nullptr;
    std::size_t* size = nullptr;
  };

  void note(HeaderFault fault, StringView value);

  void on_request_impl(boost::beast::http::verb method, StringView method_text, StringView target,
                       int version, ErrorCode& error) override;
  void on_response_impl(int, StringView, int, ErrorCode&) override {}
  void on_field_impl(boost::beast::http::field name, StringView name_text, StringView value,
                     ErrorCode& error) override;
  void on_header_impl(ErrorCode& error) override;
  void on_body_init_impl(boost::optional<std::uint64_t> const&, ErrorCode& error) override;
  std::size_t on_body_impl(StringView body, ErrorCode& error) override;
  void on_chunk_header_impl(std::uint64_t, StringView, ErrorCode& error) override;
  std::size_t on_chunk_body_impl(std::uint64_t, StringView body, ErrorCode& error) override;
  void on_finish_impl(ErrorCode& error) override;

  const char* first_byte_ = nullptr;  // of the current bytes, only during parse_header()
  std::size_t target_offset_ = 0;
  std::size_t target_size_ = 0;
  std::size_t limit_;
  ChunkSink sink_;
  ErrorCode error_;
  Excerpt method_;
  Excerpt fault_value_;
  HeaderFault fault_ = HeaderFault::kNone;
  bool is_post_ = false;
  bool is_head_ = false;
  bool is_http_1_0_ = false;
  bool has_content_type_ = false;
  bool expects_continue_ = false;
  bool header_done_ = false;
};

// An answer other than 200 from the endpoint itself.
struct RequestRefusal {
  unsigned status;
  std::string text;             // one line: what must hold and what was found; no line end
  std::string_view extra = {};  // further header lines, constants
};

// The first rule that a request with a complete header violates, or nullopt.
std::optional<RequestRefusal> refusal_of(const RequestParser& request, std::string_view path,
                                         const RequestHandler& handler, std::size_t max_body_bytes);

}  // namespace dynamo::server
