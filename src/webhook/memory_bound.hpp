// The memory that clients can make the server use at most, computed from its limits.
#pragma once

#include <cstddef>

#include "webhook/options.hpp"

namespace dynamo::webhook {

struct MemoryBound {
  std::size_t process;  // bytes of the process, without names of --cluster-lookups
  std::size_t sockets;  // bytes of the kernel for its sockets, which count for the pod
};

// docs/operations/running.md explains each part; tests/webhook/hostile_clients_test.py holds a
// server to it. `threads` is at least 1.
MemoryBound memory_bound(const Options& options, std::size_t threads);

// Makes the allocator return large blocks to the kernel at once. By default glibc raises its
// thresholds to the largest block that was freed, up to 32 MiB, and keeps such blocks; with
// fragmentation the memory then exceeds the bound. Call it before other threads start.
void return_large_blocks();

}  // namespace dynamo::webhook
