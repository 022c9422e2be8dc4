// What one client may take, and for how long. Constants are fixed; Limits come from flags, whose
// defaults are in webhook/flag_table.cpp.
#pragma once

#include <chrono>
#include <cstddef>

namespace dynamo::server {

// An API server's request line and headers come to about 400 bytes.
inline constexpr std::size_t kMaxHeaderBytes = 16 * 1024;

// After the last answer on a connection we read on for this long, so that the client's unread bytes
// do not turn into a reset which would destroy the answer on its way.
inline constexpr std::chrono::milliseconds kLingerTimeout{2000};

// Deadlines are looked at this often, so a timeout fires at most this much late.
inline constexpr std::chrono::milliseconds kSweepInterval{100};

// When the server stops: how long a connection that never asked may take to do so.
inline constexpr std::chrono::milliseconds kFreshGrace{1000};

// A body, or an answer that is being taken, flows as long as so many bytes of it move in each such
// time. One that does not is stalled, and the first to give way.
inline constexpr std::chrono::milliseconds kFlowWindow{1000};
inline constexpr std::size_t kLeastBytesInWindow = 16 * 1024;

struct Limits {
  std::size_t max_body_bytes;
  std::size_t max_connections;
  // Requests that are complete and being answered. One whose body is still to come takes no slot;
  // all such bodies together take max_body_memory.
  std::size_t max_in_flight;
  std::chrono::milliseconds handshake_timeout;
  // From the first byte to the end of the header; also from the handshake to the first byte.
  std::chrono::milliseconds header_timeout;
  std::chrono::milliseconds body_timeout;  // for the whole body, and for taking the answer
  std::chrono::milliseconds idle_timeout;  // between requests
  // Buffers of bodies that are not complete, and answers that wait for their clients. Each event
  // loop may always have one.
  std::size_t max_body_memory = std::size_t{256} * 1024 * 1024;
  // Quotas of one peer, 0: none. They count while three quarters of max_connections are in use.
  std::size_t max_connections_per_address = 0;
  std::size_t max_connections_per_client = 0;  // by its verified certificate
};

constexpr bool has_quotas(const Limits& limits) {
  return limits.max_connections_per_address > 0 || limits.max_connections_per_client > 0;
}

// Serving -> draining (every answer says Connection: close) -> stopping (no new request is begun).
enum class ServingPhase : unsigned char { kServing, kDraining, kStopping };

}  // namespace dynamo::server
