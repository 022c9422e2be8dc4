// Resource and time limits per client. Constants are fixed; ServerLimits come from flags, whose
// defaults are in webhook/flag_table.cpp.
#pragma once

#include <chrono>
#include <cstddef>

namespace dynamo::server {

// The request line and headers of an API server have about 400 bytes.
inline constexpr std::size_t kMaxHeaderBytes = 16 * 1024;

// After the last answer on a connection the server keeps reading for this time. Otherwise the
// client's unread bytes would cause a reset, which destroys the answer in transit.
inline constexpr std::chrono::milliseconds kLingerTimeout{2000};

// Interval of deadline checks: a timeout fires at most this much late.
inline constexpr std::chrono::milliseconds kSweepInterval{100};

// At shutdown: how long a connection without a request so far may take to send one.
inline constexpr std::chrono::milliseconds kFreshGrace{1000};

// Minimum rate: a body, or an answer being read, must move this many bytes per window. Otherwise it
// is stalled and is evicted first.
inline constexpr std::chrono::milliseconds kFlowWindow{1000};
inline constexpr std::size_t kLeastBytesInWindow = 16 * 1024;

struct ServerLimits {
  std::size_t max_body_bytes;
  std::size_t max_connections;
  // Complete requests that are being answered. A request whose body is still arriving takes no
  // slot; all such bodies together are limited by max_body_memory.
  std::size_t max_in_flight;
  std::chrono::milliseconds handshake_timeout;
  // From the first byte to the end of the header; also from the handshake to the first byte.
  std::chrono::milliseconds header_timeout;
  std::chrono::milliseconds body_timeout;  // for the whole body, and for reading the answer
  std::chrono::milliseconds idle_timeout;  // between requests
  // Limit for buffers of incomplete bodies, and answers that wait for their clients. Each event
  // loop may always have one body or answer.
  std::size_t max_body_memory = std::size_t{256} * 1024 * 1024;
  // Quotas of one peer, 0: none. They are active while three quarters of max_connections are in
  // use.
  std::size_t max_connections_per_address = 0;
  std::size_t max_connections_per_client = 0;  // by its verified certificate
};

constexpr bool has_quotas(const ServerLimits& limits) {
  return limits.max_connections_per_address > 0 || limits.max_connections_per_client > 0;
}

// Serving -> draining (every answer has Connection: close) -> stopping (no new request is started).
enum class ServingPhase : unsigned char { kServing, kDraining, kStopping };

}  // namespace dynamo::server
