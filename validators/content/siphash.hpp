// A keyed hash for texts that users write, so that they cannot construct collisions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dynamo::validators {

// The default key is that of the published test vectors: bytes 0 to 15.
struct HashKey {
  std::uint64_t first = 0x0706050403020100U;
  std::uint64_t second = 0x0F0E0D0C0B0A0908U;
};

// Sets the key of this process. A program that serves other users sets a secret random key at its
// start, so that no user can search for colliding texts in advance. Only the first call before the
// first hash takes effect; otherwise the default key is used. Results depend on the key only with a
// probability of 2^-64. Safe from any thread.
void use_hash_key(const HashKey& key);
const HashKey& process_hash_key();

// SipHash-2-4: linear, no allocation. Do not store or send the result: another process uses another
// key.
std::uint64_t siphash(std::string_view text, const HashKey& key = process_hash_key());

// The hash of numbers, usually of other hashes.
template <std::size_t Count>
std::uint64_t hash_of(const std::array<std::uint64_t, Count>& numbers) {
  return siphash({reinterpret_cast<const char*>(numbers.data()), sizeof numbers});
}

}  // namespace dynamo::validators
