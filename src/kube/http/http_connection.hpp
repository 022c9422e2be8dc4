// One connection to the API server, plain or TLS, which a deadline closes.
#pragma once

#include <openssl/types.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aio/task.hpp"
#include "kube/config/config.hpp"
#include "kube/object/error.hpp"

namespace dynamo::kube {

// Number of bytes transferred, and the error that stopped the transfer.
struct TransferResult {
  boost::system::error_code error;
  std::size_t bytes = 0;
};

// Belongs to the executor's thread and is used by one coroutine at a time. A deadline, an error or
// a cancellation closes it, and it cannot be used after that.
class HttpConnection {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // `context` is null for plain HTTP.
  HttpConnection(boost::asio::any_io_executor executor, std::shared_ptr<SSL_CTX> context);
  ~HttpConnection();  // closes
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  // Resolves, connects (tries each address, with a share of the remaining time) and performs the
  // TLS handshake. Names are resolved by the system's resolver on Asio's helper thread; addresses
  // need no thread.
  aio::Task<Result<void>> connect(const ConnectionConfig& config, TimePoint deadline);

  // Writes everything or fails; once the deadline has passed, it writes nothing.
  aio::Task<TransferResult> write(std::string_view bytes);
  // Reads at least one byte or fails; the end of the stream is an error, too.
  aio::Task<TransferResult> read_some(std::span<char> bytes);
  // 4 KiB read buffer for the connection's user, so that no request has to allocate one.
  std::span<char> piece() { return piece_; }

  // Closes the connection at this time. Replaces the previous deadline.
  void set_deadline(TimePoint deadline);
  void clear_deadline();
  bool has_deadline_passed() const;

  void close();
  // Whether it can carry another request: it is open and has no unexpected data.
  bool is_idle() const;
  const SSL_CTX* context() const { return context_.get(); }
  // Whether connect() reached the TLS handshake.
  bool has_begun_handshake() const;

 private:
  struct State;
  static void watch(const std::shared_ptr<State>& watched);

  static constexpr std::size_t kPiece = std::size_t{4} << 10U;

  std::vector<char> piece_ = std::vector<char>(kPiece);
  const std::shared_ptr<SSL_CTX> context_;
  const std::shared_ptr<State> state_;  // shared with handlers, which may outlive this
};

}  // namespace dynamo::kube
