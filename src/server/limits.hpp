// What one client may take, and for how long. The defaults are the flags', in runtime/flags.
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

struct Limits {
  std::size_t max_body_bytes;
  std::size_t max_connections;
  // Requests whose header was accepted and whose answer is not made: together with max_body_bytes
  // the bound of the memory that bodies can take.
  std::size_t max_in_flight;
  std::chrono::milliseconds handshake_timeout;
  std::chrono::milliseconds header_timeout;  // from the first byte to the end of the header
  std::chrono::milliseconds body_timeout;    // for the whole body, and for taking the answer
  std::chrono::milliseconds idle_timeout;    // between requests
};

// Serving -> draining (every answer says Connection: close) -> stopping (no new request is begun).
enum class ServingPhase : unsigned char { kServing, kDraining, kStopping };

}  // namespace dynamo::server
