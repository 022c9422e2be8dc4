#include "aio/backoff.hpp"

#include <algorithm>

namespace dynamo::aio {

std::uint64_t random_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32U) | device();
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
  // Compared before it is doubled, so that it never overflows.
  length_ = length_ > longest_ / 2 ? longest_ : length_ * 2;
  return jittered(length, random_);
}

}  // namespace dynamo::aio
