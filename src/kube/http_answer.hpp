// An HTTP/1.1 answer as it comes in, piece by piece; and a request as it goes out.
#pragma once

#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kube/config.hpp"
#include "kube/error.hpp"
#include "kube/transport.hpp"

namespace dynamo::kube {

struct AnswerLimits {
  std::size_t body_bytes = 0;           // of the whole body; 0: none, for streams
  std::size_t header_bytes = 64 << 10;  // of all header lines together, and of a chunk's
};

// Not thread-safe.
class AnswerParser {
 public:
  explicit AnswerParser(AnswerLimits limits);
  ~AnswerParser();
  AnswerParser(AnswerParser&&) noexcept;
  AnswerParser& operator=(AnswerParser&&) noexcept;

  // Takes in what came. Interim answers (1xx) are passed over.
  void feed(std::string_view bytes);
  // Nothing more will come, for this reason: asio::error::eof when the peer ended in order.
  void finish(const boost::system::error_code& reason);

  // Why there will be no more of the answer than there is: kProtocol for what is no HTTP;
  // kTooLarge; kConnect when the connection ended before the answer. Null if nothing is wrong.
  const Error* failure() const;

  bool has_header() const;
  bool is_done() const;
  // More came than the answer.
  bool has_excess() const;
  // After the answer, the connection may be used again.
  bool keeps_alive() const;

  // With a header.
  int status() const;
  // A date counts from the server's Date on, or from `now` where the answer has none: our clock may
  // be wrong.
  std::optional<std::chrono::seconds> retry_after(std::chrono::system_clock::time_point now) const;
  // The server's clock, by its Date header.
  std::optional<std::chrono::system_clock::time_point> date() const;
  // The body so far; whoever reads a stream takes pieces away.
  std::string& body();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Header lines and body. kProtocol when the target or the token holds what cannot stand there.
Result<std::string> request_text(const Request& request, const ConnectionConfig& config,
                                 std::string_view token, std::string_view user_agent);

}  // namespace dynamo::kube
