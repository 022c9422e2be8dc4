// Who we are to the API server, kept fresh: tokens and certificates from files and programs.
#pragma once

#include <openssl/types.h>

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "aio/task.hpp"
#include "kube/config.hpp"
#include "kube/error.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::kube {

// What a connection is made with, and what its requests carry.
struct Identity {
  std::shared_ptr<SSL_CTX> context;  // null for plain HTTP; another one after any change
  std::string token;                 // empty: none
};

struct CredentialsOptions {
  std::chrono::milliseconds refresh = std::chrono::minutes(1);  // files are read again after that
  std::chrono::milliseconds exec_deadline = std::chrono::seconds(30);
  // A program whose token was refused is not asked again before that.
  std::chrono::milliseconds exec_rest = std::chrono::seconds(10);
};

enum class Doubt : std::uint8_t {
  kAnswer,     // 401
  kHandshake,  // that of TLS failed
};

// Belongs to the executor's thread. `clock` and `logger` must outlive it and its coroutines.
class Credentials {
 public:
  Credentials(boost::asio::any_io_executor executor, ConnectionConfig config,
              CredentialsOptions options, const runtime::Clock& clock, runtime::Logger& logger);
  ~Credentials();  // ends a program that runs
  Credentials(const Credentials&) = delete;
  Credentials& operator=(const Credentials&) = delete;

  // What is good now. Reads files again when it is time to; a file that cannot be used any more is
  // logged once, and what was read before serves on. A program runs once for all who wait. kConfig
  // when there is nothing to go on, kDeadline when a program took longer than the caller's time.
  aio::Task<Result<Identity>> current(std::chrono::steady_clock::time_point deadline);

  // The server did not accept this identity, or we not the server: files are read again before the
  // next current() answers, and a program whose token was refused, or whose certificate was shown
  // in a handshake that failed, is asked again.
  void doubt(const Identity& refused, Doubt why);

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace dynamo::kube
