// Pauses between retries.
#pragma once

#include <chrono>
#include <cstdint>
#include <random>

namespace dynamo::aio {

// A different seed for each call and process, so that replicas that failed together do not retry
// together. Any thread.
std::uint64_t random_seed();

// `length`, reduced by a random part of up to one half.
std::chrono::milliseconds jittered(std::chrono::milliseconds length, std::minstd_rand& random);

// Pauses after consecutive failures: the first, doubled up to the longest, each reduced by a random
// part of up to one half. Not thread-safe.
class Backoff {
 public:
  Backoff(std::chrono::milliseconds first, std::chrono::milliseconds longest,
          std::uint64_t seed = random_seed());

  // The pause after one more failure.
  std::chrono::milliseconds next();
  // Call it after a success.
  void reset() { length_ = first_; }

 private:
  std::chrono::milliseconds first_;
  std::chrono::milliseconds longest_;
  std::chrono::milliseconds length_;
  std::minstd_rand random_;
};

}  // namespace dynamo::aio
