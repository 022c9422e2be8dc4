#include "webhook/memory_bound.hpp"

#include <algorithm>

#include "server/socket_buffers.hpp"

namespace dynamo::webhook {
namespace {

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * kKiB;

// Program, libraries, log and metrics.
constexpr std::size_t kBase = 24 * kMiB;
// One review: what its body costs, and at least this.
constexpr std::size_t kTimesBody = 24;
constexpr std::size_t kLeastOfReview = 4 * kMiB;
// Kept by a loop between reviews.
constexpr std::size_t kKeptByLoop = 1536 * kKiB;
// An unfinished handshake; other connections need less.
constexpr std::size_t kOfConnection = 200 * kKiB;
// Both buffers of a socket that is not read, and the larger ones after large bodies.
constexpr std::size_t kOfSocket = 384 * kKiB;
constexpr std::size_t kOfWideSocket = 1152 * kKiB;

}  // namespace

MemoryBound memory_bound(const Options& options, std::size_t threads) {
  const std::size_t bodies =
      std::max(options.max_body_memory, threads * options.max_body_bytes) + threads * kKeptByLoop;
  const std::size_t reviews =
      threads * std::max(kTimesBody * options.max_body_bytes, kLeastOfReview);
  const std::size_t wide = std::min(options.max_connections, threads * server::WideSockets::kMax);
  return {.process = kBase + bodies + reviews + options.max_connections * kOfConnection,
          .sockets = (options.max_connections - wide) * kOfSocket + wide * kOfWideSocket};
}

}  // namespace dynamo::webhook
