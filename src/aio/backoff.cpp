#include "aio/backoff.hpp"

#include <algorithm>
#include <atomic>

namespace dynamo::aio {

namespace {

std::uint64_t seed_of_process() {
  std::random_device device;
  return (std::uint64_t{device()} << 32U) | device();
}

}  // namespace

// std::random_device is read once, because that takes as long as a hundred allocations. Further
// seeds come from SplitMix64.
std::uint64_t random_seed() {
  constexpr std::uint64_t kStep = 0x9E37'79B9'7F4A'7C15;
  static std::atomic<std::uint64_t> state{seed_of_process()};
  std::uint64_t mixed = state.fetch_add(kStep) + kStep;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58'476D'1CE4'E5B9;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D0'49BB'1331'11EB;
  return mixed ^ (mixed >> 31U);
}

std::chrono::milliseconds jittered(std::chrono::milliseconds length, std::minstd_rand& random) {
  std::uniform_int_distribution<std::chrono::milliseconds::rep> off(0, length.count() / 2);
  return length - std::chrono::milliseconds(off(random));
}

Backoff::Backoff(std::chrono::milliseconds first, std::chrono::milliseconds longest,
                 std::uint64_t seed)
    : first_(first),
      longest_(longest),
      length_(first),
      random_(static_cast<std::minstd_rand::result_type>(seed)) {}

std::chrono::milliseconds Backoff::next() {
  const std::chrono::milliseconds length = length_;
  // Compared before doubling, so that it never overflows.
  length_ = length_ > longest_ / 2 ? longest_ : length_ * 2;
  return jittered(length, random_);
}

}  // namespace dynamo::aio
