// Re-checks the client of an open connection: a connection may live for days, and in that time its
// CA may be removed and its certificate may expire.
#pragma once

#include <openssl/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "server/counters.hpp"

namespace dynamo::server {

// The TLS context of new connections, as passed to the event loops.
struct ServedTrust {
  std::shared_ptr<SSL_CTX> context;
  std::uint64_t generation = 0;  // different for each context, from 1

  // Whether it requests client certificates. If not, there is no client to check.
  bool asks_clients() const;
};

// Trust state of one connection. Used by its loop's thread.
class ClientTrust {
 public:
  using WallTime = std::chrono::system_clock::time_point;

  // The handshake of `connection` is complete.
  void begin(SSL* connection);

  // Why the client would be refused now; nullopt if it is trusted. Verifies the certificate chain,
  // which takes about 0.2 ms, once for each context other than the connection's own, and only while
  // `verifications`, which it decrements, is positive.
  std::optional<DistrustReason> check(SSL* connection, const ServedTrust& now_served, WallTime now,
                                      int& verifications);

 private:
  std::uint64_t checked_ = 0;  // generation of the last check
  bool is_trusted_ = true;
  WallTime until_ = WallTime::max();
};

}  // namespace dynamo::server
