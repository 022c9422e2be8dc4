// A hash for texts that users write, with which nobody can make two of them look the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dynamo::validators {

// Its default is that of the published test vectors: bytes 0 to 15.
struct HashKey {
  std::uint64_t first = 0x0706050403020100U;
  std::uint64_t second = 0x0F0E0D0C0B0A0908U;
};

// Whoever runs for others gives a key that nobody knows, at its start, so that nobody can look for
// two texts of one hash beforehand. The first key counts that is given before the first hash is
// made; else it is that of the published test vectors. A verdict does not depend on it, unless by a
// chance of one in 2^64. Any thread.
void use_hash_key(const HashKey& key);
const HashKey& process_hash_key();

// SipHash-2-4: linear, no allocation. Not to be kept or sent: another process has another one.
std::uint64_t siphash(std::string_view text, const HashKey& key = process_hash_key());

// The same of numbers: of hashes, mostly.
template <std::size_t Count>
std::uint64_t hash_of(const std::array<std::uint64_t, Count>& numbers) {
  return siphash({reinterpret_cast<const char*>(numbers.data()), sizeof numbers});
}

}  // namespace dynamo::validators
