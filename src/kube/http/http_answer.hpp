// Incremental parser of an HTTP/1.1 response, and the text of a request.
#pragma once

#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kube/config/config.hpp"
#include "kube/http/transport.hpp"
#include "kube/object/error.hpp"

namespace dynamo::kube {

struct AnswerLimits {
  std::size_t body_bytes = 0;           // of the whole body; 0: none, for streams
  std::size_t header_bytes = 64 << 10;  // of all header lines together, and of a chunk header
};

// Not thread-safe.
class AnswerParser {
 public:
  explicit AnswerParser(AnswerLimits limits);
  ~AnswerParser();
  AnswerParser(AnswerParser&&) noexcept;
  AnswerParser& operator=(AnswerParser&&) noexcept;

  // Parses received bytes. Interim responses (1xx) are skipped.
  void feed(std::string_view bytes);
  // The input ended for this reason: asio::error::eof if the peer closed regularly.
  void finish(const boost::system::error_code& reason);

  // Why the response cannot be completed: kProtocol if it is not HTTP, kTooLarge, kConnect if the
  // connection ended early. Null without an error.
  const Error* failure() const;

  bool has_header() const;
  bool is_done() const;
  // More bytes arrived than the response has.
  bool has_excess() const;
  // The connection can be reused after the response.
  bool keeps_alive() const;

  // Requires has_header().
  int status() const;
  // A date is relative to the server's Date header, or to `now` without one: our clock may be
  // wrong.
  std::optional<std::chrono::seconds> retry_after(std::chrono::system_clock::time_point now) const;
  // The server's clock, from its Date header.
  std::optional<std::chrono::system_clock::time_point> date() const;
  // The body so far; the reader of a stream removes pieces from it.
  std::string& body();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Header lines and body. Returns kProtocol if the target or the token contains invalid characters.
Result<std::string> request_text(const Request& request, const ConnectionConfig& config,
                                 std::string_view token, std::string_view user_agent);

}  // namespace dynamo::kube
