// Our identity for the API server, kept fresh: tokens and certificates from files and programs.
#pragma once

#include <openssl/types.h>

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "aio/task.hpp"
#include "kube/config/config.hpp"
#include "kube/object/error.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::kube {

// TLS context of a connection and token of its requests.
struct Identity {
  std::shared_ptr<SSL_CTX> context;  // null for plain HTTP; a different one after any change
  std::string token;                 // empty: none
};

struct CredentialsOptions {
  std::chrono::milliseconds refresh = std::chrono::minutes(1);  // interval for rereading files
  std::chrono::milliseconds exec_deadline = std::chrono::seconds(30);
  // A program whose token was refused does not run again before this time.
  std::chrono::milliseconds exec_interval = std::chrono::seconds(10);
};

enum class RejectionCause : std::uint8_t {
  kAnswer,     // 401
  kHandshake,  // the TLS handshake failed
};

// Belongs to the executor's thread. `clock` and `logger` must outlive it and its coroutines.
class Credentials {
 public:
  Credentials(boost::asio::any_io_executor executor, ConnectionConfig config,
              CredentialsOptions options, const runtime::Clock& clock, runtime::Logger& logger);
  ~Credentials();  // ends a running program
  Credentials(const Credentials&) = delete;
  Credentials& operator=(const Credentials&) = delete;

  // The current identity. Rereads files when `refresh` is over. If a file has become unusable, that
  // is logged once and the previous content stays in use. A program runs once for all concurrent
  // callers. Returns kConfig if there are no usable credentials, kDeadline if a program took longer
  // than the caller's deadline.
  aio::Task<Result<Identity>> current(std::chrono::steady_clock::time_point deadline);

  // The server did not accept this identity, or we did not accept the server. Files are reread
  // before the next current() returns. A program runs again if its token was refused, or if its
  // certificate was used in a handshake that failed.
  void note_rejection(const Identity& refused, RejectionCause why);

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace dynamo::kube
