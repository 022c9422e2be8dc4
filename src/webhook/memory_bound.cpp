#include "webhook/memory_bound.hpp"

#include <malloc.h>

#include <algorithm>

#include "api/review_memory.hpp"
#include "server/buffer_pool.hpp"
#include "server/socket_buffers.hpp"

namespace dynamo::webhook {
namespace {

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * kKiB;

// Program, libraries, log and metrics.
constexpr std::size_t kBase = 24 * kMiB;
// Kept by a loop between reviews: buffers, and what its reviewers need again.
constexpr std::size_t kKeptByLoop = server::BufferPool::kBytesKept + 512 * kKiB;
// Reviews of up to 1 MB allocate no block of this size. A threshold of 1 MiB costs reviews of
// 250 KB 50 % more CPU.
constexpr int kLargeBlock = 4 * kMiB;
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
      threads * std::max(api::kMemoryPerBodyByte * options.max_body_bytes, api::kMinReviewMemory);
  const std::size_t wide = std::min(options.max_connections, threads * server::WideSockets::kMax);
  return {.process = kBase + bodies + reviews + options.max_connections * kOfConnection,
          .sockets = (options.max_connections - wide) * kOfSocket + wide * kOfWideSocket};
}

void return_large_blocks() {
  mallopt(M_MMAP_THRESHOLD, kLargeBlock);
  mallopt(M_TRIM_THRESHOLD, kLargeBlock);
}

}  // namespace dynamo::webhook
