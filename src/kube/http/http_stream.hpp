// The body of a streaming response, split into lines.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "kube/http/http_answer.hpp"
#include "kube/http/http_connection.hpp"
#include "kube/http/transport.hpp"

namespace dynamo::kube {

class HttpStream final : public Stream {
 public:
  // `parser` has the header and perhaps some of the body; `address` is for messages.
  HttpStream(std::shared_ptr<HttpConnection> connection, AnswerParser parser,
             std::size_t line_limit, std::string address);

  aio::Task<Result<std::string>> next_line(std::chrono::milliseconds idle) override;

 private:
  aio::Task<Result<std::string>> read_line();
  std::optional<std::string> take_line();
  Error end(FailureKind failure, std::string text);

  const std::shared_ptr<HttpConnection> connection_;
  AnswerParser parser_;
  const std::size_t line_limit_;
  const std::string address_;
  std::size_t taken_ = 0;       // bytes of the parser's body that were already returned
  std::size_t searched_ = 0;    // no line end before this position
  std::optional<Error> ended_;  // what every further call returns
};

}  // namespace dynamo::kube
