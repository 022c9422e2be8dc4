// One connection to the API server, plain or TLS, with a deadline that closes it.
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
#include "kube/config.hpp"
#include "kube/error.hpp"

namespace dynamo::kube {

// How many bytes went through, and what stopped it.
struct Transferred {
  boost::system::error_code error;
  std::size_t bytes = 0;
};

// Belongs to the executor's thread; one coroutine at a time uses it. It is closed by a deadline, by
// an error and by cancellation half way, and never usable again after that.
class HttpConnection {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // `context` is null for plain HTTP.
  HttpConnection(boost::asio::any_io_executor executor, std::shared_ptr<SSL_CTX> context);
  ~HttpConnection();  // closes
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  // Resolves, connects (to each address in turn, which share what time is left) and shakes hands.
  // Names are looked up by the system's resolver on Asio's helper thread; addresses are not.
  aio::Task<Result<void>> connect(const ConnectionConfig& config, TimePoint deadline);

  // Writes all of it, or fails; once the deadline is over, without a byte of it.
  aio::Task<Transferred> write(std::string_view bytes);
  // At least one byte, or fails; the peer's end is an error as well.
  aio::Task<Transferred> read_some(std::span<char> bytes);
  // 4 KiB to read into, of whoever uses the connection: so that no request has to allocate them.
  std::span<char> piece() { return piece_; }

  // From now on the connection is closed at this moment. Replaces the one before.
  void set_deadline(TimePoint deadline);
  void clear_deadline();
  bool deadline_passed() const;

  void close();
  // Whether it can carry another request: open, and nothing came on it that nobody asked for.
  bool is_idle() const;
  const SSL_CTX* context() const { return context_.get(); }
  // Whether connect() came as far as the handshake of TLS.
  bool began_handshake() const;

 private:
  struct State;
  static void watch(const std::shared_ptr<State>& watched);

  static constexpr std::size_t kPiece = std::size_t{4} << 10U;

  std::vector<char> piece_ = std::vector<char>(kPiece);
  const std::shared_ptr<SSL_CTX> context_;
  const std::shared_ptr<State> state_;  // shared with handlers, which may outlive this
};

}  // namespace dynamo::kube
