#include "kube/http/http_stream.hpp"

#include <span>
#include <utility>

#include "kube/http/cancellable.hpp"

namespace dynamo::kube {

HttpStream::HttpStream(std::shared_ptr<HttpConnection> connection, AnswerParser parser,
                       std::size_t line_limit, std::string address)
    : connection_(std::move(connection)),
      parser_(std::move(parser)),
      line_limit_(line_limit),
      address_(std::move(address)) {}

aio::Task<Result<std::string>> HttpStream::next_line(std::chrono::milliseconds idle) {
  if (ended_) co_return *ended_;
  if (auto line = take_line()) co_return std::move(*line);
  connection_->set_deadline(std::chrono::steady_clock::now() + idle);
  auto line = co_await cancellable(read_line());
  if (!line && !ended_) ended_ = line.error();
  if (ended_) {
    connection_->close();
  } else {
    connection_->clear_deadline();  // no deadline between two reads
  }
  co_return line;
}

aio::Task<Result<std::string>> HttpStream::read_line() {
  const std::span<char> piece = connection_->piece();
  for (;;) {
    if (auto line = take_line()) co_return std::move(*line);
    if (parser_.body().size() - taken_ > line_limit_) {
      co_return end(FailureKind::kProtocol,
                    "a line is longer than " + std::to_string(line_limit_) + " bytes");
    }
    if (const Error* broken = parser_.failure()) co_return end(broken->failure, broken->text);
    if (parser_.is_done()) {
      Error closed = end(FailureKind::kClosed, "the server ended the stream");
      // The last line may lack its end.
      if (parser_.body().size() == taken_) co_return closed;
      co_return parser_.body().substr(taken_);
    }
    const TransferResult read = co_await connection_->read_some(piece);
    if (connection_->has_deadline_passed()) {
      co_return end(FailureKind::kDeadline, "nothing came on the stream in time");
    }
    parser_.feed({piece.data(), read.bytes});
    if (read.error) parser_.finish(read.error);
  }
}

std::optional<std::string> HttpStream::take_line() {
  std::string& body = parser_.body();
  const std::size_t at = body.find('\n', searched_);
  if (at == std::string::npos) {
    // Removes returned lines only before a read, not for each line.
    body.erase(0, taken_);
    taken_ = 0;
    searched_ = body.size();
    return std::nullopt;
  }
  if (at - taken_ > line_limit_) return std::nullopt;
  std::string line = body.substr(taken_, at - taken_);
  if (line.ends_with('\r')) line.pop_back();
  taken_ = at + 1;
  searched_ = taken_;
  return line;
}

Error HttpStream::end(FailureKind failure, std::string text) {
  Error error;
  error.failure = failure;
  error.text = "API server " + address_ + ": " + std::move(text);
  ended_ = error;
  return error;
}

}  // namespace dynamo::kube
