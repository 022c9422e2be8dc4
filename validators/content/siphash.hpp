// A hash for texts that users write, with which nobody can make two of them look the same.
#pragma once

#include <cstdint>
#include <string_view>

namespace dynamo::validators {

struct HashKey {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

// Drawn from the kernel once for this process, so that nobody can look for two texts of one hash
// beforehand. A verdict does not depend on it, unless by a chance of one in 2^64. Any thread.
const HashKey& process_hash_key();

// SipHash-2-4: linear, no allocation. Not to be kept or sent: each process has another one.
std::uint64_t siphash(std::string_view text, const HashKey& key = process_hash_key());

}  // namespace dynamo::validators
