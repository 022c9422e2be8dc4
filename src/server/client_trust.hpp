// Whether the client of an open connection would still be let in: its CA may be taken away and its
// certificate may expire, and a connection may live for days.
#pragma once

#include <openssl/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "server/counters.hpp"

namespace dynamo::server {

// The context that new connections get, as the event loops are told of it.
struct ServedTrust {
  std::shared_ptr<SSL_CTX> context;
  std::uint64_t generation = 0;  // another one for each context, from 1

  // Does it ask clients for a certificate? If not, there is nobody to judge.
  bool asks_clients() const;
};

// What one connection knows of its client. Used by its loop's thread.
class ClientTrust {
 public:
  using WallTime = std::chrono::system_clock::time_point;

  // The handshake of `connection` is complete.
  void begin(SSL* connection);

  // Why the client would not be let in any more; nothing while it would. Verifies a chain of
  // certificates, some 0.2 ms, once for each context that it did not begin with, and only while
  // `verifications` are left, which it counts down.
  std::optional<Distrust> judge(SSL* connection, const ServedTrust& now_served, WallTime now,
                                int& verifications);

 private:
  std::uint64_t judged_ = 0;  // the generation
  bool is_vouched_for_ = true;
  WallTime until_ = WallTime::max();
};

}  // namespace dynamo::server
