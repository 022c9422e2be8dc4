// The pauses between tries.
#pragma once

#include <chrono>
#include <cstdint>
#include <random>

namespace dynamo::aio {

// Another each time, and in each process: so that replicas that failed together do not try
// together. From any thread.
std::uint64_t random_seed();

// `length` with up to half of it off.
std::chrono::milliseconds jittered(std::chrono::milliseconds length, std::minstd_rand& random);

// Pauses of a row of failures: the first, doubled up to the longest, each with up to half of it off
// by chance. Not thread-safe.
class Backoff {
 public:
  Backoff(std::chrono::milliseconds first, std::chrono::milliseconds longest,
          std::uint64_t seed = random_seed());

  // The pause after one more failure.
  std::chrono::milliseconds next();
  // After a success.
  void reset() { length_ = first_; }

 private:
  std::chrono::milliseconds first_;
  std::chrono::milliseconds longest_;
  std::chrono::milliseconds length_;
  std::minstd_rand random_;
};

}  // namespace dynamo::aio
