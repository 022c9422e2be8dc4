#include "kube/http/http_answer.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <utility>

#include "text/http_date.hpp"

namespace dynamo::kube {
namespace {

namespace http = boost::beast::http;
using ErrorCode = boost::system::error_code;
using Parser = http::response_parser<http::string_body>;

constexpr int kMaxInterimAnswers = 8;

Error protocol_error(std::string text) {
  Error error;
  error.failure = FailureKind::kProtocol;
  error.text = std::move(text);
  return error;
}

bool is_visible(char letter) {
  return letter > ' ' && letter < '\x7f';
}

}  // namespace

struct AnswerParser::Impl {
  explicit Impl(AnswerLimits the_limits) : limits(the_limits) { restart(); }

  void restart() {
    parser = std::make_unique<Parser>();
    parser->header_limit(static_cast<std::uint32_t>(limits.header_bytes));
    header_bytes = 0;
    if (limits.body_bytes == 0) {
      parser->body_limit(boost::none);
    } else {
      parser->body_limit(limits.body_bytes);
    }
    // Only the header at first: the length of a body must be checked before memory is allocated.
    parser->eager(false);
  }

  Result<void> after_header() {
    const unsigned status = parser->get().result_int();
    if (status < 100) {
      return protocol_error("the answer is no HTTP: its status must be at least 100; found " +
                            std::to_string(status));
    }
    if (status / 100 == 1) {
      if (status == 101 || ++interim > kMaxInterimAnswers) {
        return protocol_error("the answer is an HTTP " + std::to_string(status) +
                              ", which was not asked for");
      }
      restart();
      return {};
    }
    const auto length = parser->content_length();
    if (limits.body_bytes == 0 && length && *length > kMaxPlainStream) {
      return protocol_error("the answer has " + std::to_string(*length) +
                            " bytes, too many for a stream that is not chunked");
    }
    parser->eager(true);
    has_good_header = true;
    return {};
  }

  Result<void> parse() {
    while (!unread.empty() && !parser->is_done()) {
      // Beast asserts that the last chunk has five bytes when it resumes one that began with these.
      if (has_good_header && parser->chunked() && unread == "0\r\n") break;
      // A line of chunks that does not fit is too long, however the answer arrives in pieces.
      const std::size_t window = std::min(unread.size(), limits.header_bytes);
      const bool is_all = window == unread.size();
      ErrorCode error;
      const bool had_header = parser->is_header_done();
      const std::size_t used = parser->put(boost::asio::const_buffer(unread.data(), window), error);
      unread.erase(0, used);
      began = began || used > 0;
      if (!had_header) header_bytes += used;
      if (error == http::error::need_more) {
        if (is_all) break;
        if (used == 0) return header_too_long();
        continue;
      }
      if (error == http::error::body_limit) {
        Error error_of_size = protocol_error("the answer is larger than " +
                                             std::to_string(limits.body_bytes) + " bytes");
        error_of_size.failure = FailureKind::kTooLarge;
        return error_of_size;
      }
      if (error == http::error::header_limit) return header_too_long();
      if (error) return protocol_error("the answer is no HTTP: " + error.message());
      if (!had_header && parser->is_header_done()) {
        if (header_bytes > limits.header_bytes) return header_too_long();
        if (auto good = after_header(); !good) return good;
      }
    }
    // Beast's limit does not count the lines that it has read from earlier pieces.
    const std::size_t begun = parser->is_header_done() ? 0 : header_bytes;
    if (!parser->is_done() && begun + unread.size() > limits.header_bytes) return header_too_long();
    return {};
  }

  Error header_too_long() const {
    return protocol_error("the answer has header lines of more than " +
                          std::to_string(limits.header_bytes) + " bytes");
  }

  static constexpr std::uint64_t kMaxPlainStream = std::uint64_t{32} << 20U;

  const AnswerLimits limits;
  std::unique_ptr<Parser> parser;
  std::string unread;
  std::size_t header_bytes = 0;  // already parsed, of the current header
  bool has_good_header = false;
  bool began = false;  // part of the response was parsed
  int interim = 0;
  std::optional<Error> failure;
};

AnswerParser::AnswerParser(AnswerLimits limits) : impl_(std::make_unique<Impl>(limits)) {}
AnswerParser::~AnswerParser() = default;
AnswerParser::AnswerParser(AnswerParser&&) noexcept = default;
AnswerParser& AnswerParser::operator=(AnswerParser&&) noexcept = default;

void AnswerParser::feed(std::string_view bytes) {
  if (impl_->failure) return;
  impl_->unread.append(bytes);
  if (auto parsed = impl_->parse(); !parsed) impl_->failure = parsed.error();
}

void AnswerParser::finish(const ErrorCode& reason) {
  if (impl_->failure || is_done()) return;
  Parser& parser = *impl_->parser;
  const bool in_order = reason == boost::asio::error::eof;
  if (in_order && has_header() && parser.need_eof()) {
    ErrorCode error;
    parser.put_eof(error);
    if (!error) return;
  }
  const std::string_view begin = std::string_view(impl_->unread).substr(0, 5);
  if (!impl_->began && !std::string_view("HTTP/").starts_with(begin)) {
    impl_->failure = protocol_error("the answer is no HTTP");
    return;
  }
  Error cut;
  cut.failure = FailureKind::kConnect;
  cut.text = impl_->began ? "the connection ended in the middle of the answer"
                          : "the connection ended before the answer";
  if (!in_order) cut.text += ": " + reason.message();
  impl_->failure = std::move(cut);
}

const Error* AnswerParser::failure() const {
  return impl_->failure ? &*impl_->failure : nullptr;
}

bool AnswerParser::has_header() const {
  return impl_->has_good_header;
}

bool AnswerParser::is_done() const {
  return impl_->has_good_header && impl_->parser->is_done();
}

bool AnswerParser::has_excess() const {
  return !impl_->unread.empty();
}

bool AnswerParser::keeps_alive() const {
  return is_done() && !has_excess() && impl_->parser->keep_alive();
}

int AnswerParser::status() const {
  return static_cast<int>(impl_->parser->get().result_int());
}

std::optional<std::chrono::system_clock::time_point> AnswerParser::date() const {
  const auto value = impl_->parser->get()[http::field::date];
  return text::parse_http_date(std::string_view(value.data(), value.size()));
}

std::optional<std::chrono::seconds> AnswerParser::retry_after(
    std::chrono::system_clock::time_point now) const {
  const auto value = impl_->parser->get()[http::field::retry_after];
  return text::parse_retry_after(std::string_view(value.data(), value.size()),
                                 date().value_or(now));
}

std::string& AnswerParser::body() {
  return impl_->parser->get().body();
}

Result<std::string> request_text(const Request& request, const ConnectionConfig& config,
                                 std::string_view token, std::string_view user_agent) {
  // A line break in either would start another header line.
  if (!request.target.starts_with('/') || !std::ranges::all_of(request.target, is_visible)) {
    return protocol_error("the path of a request must be escaped and begin with a slash");
  }
  if (!std::ranges::all_of(config.host, is_visible) ||
      !std::ranges::all_of(config.port, is_visible)) {
    return protocol_error("the host and port must consist of visible ASCII characters");
  }
  if (!std::ranges::all_of(token, is_visible)) {
    return protocol_error("the token must consist of visible ASCII characters");
  }
  const bool has_body = !request.body.empty() || request.method == HttpMethod::kPost ||
                        request.method == HttpMethod::kPut || request.method == HttpMethod::kPatch;
  const bool is_ipv6 = config.host.find(':') != std::string::npos;
  std::string text;
  text.reserve(512 + token.size() + request.target.size() + request.body.size());
  const auto line = [&text](std::string_view name, std::string_view value) {
    text.append(name).append(": ").append(value).append("\r\n");
  };
  text.append(to_string(request.method)).append(" ");
  text.append(config.prefix).append(request.target).append(" HTTP/1.1\r\n");
  line("Host", (is_ipv6 ? "[" + config.host + "]" : config.host) + ":" + config.port);
  if (!user_agent.empty()) line("User-Agent", user_agent);
  line("Accept", request.accept);
  if (!token.empty()) line("Authorization", "Bearer " + std::string(token));
  if (has_body) {
    line("Content-Type", request.content_type);
    line("Content-Length", std::to_string(request.body.size()));
  }
  text.append("\r\n").append(request.body);
  return text;
}

}  // namespace dynamo::kube
