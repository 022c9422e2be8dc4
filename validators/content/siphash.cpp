#include "validators/content/siphash.hpp"

#include <bit>
#include <cstddef>

#include "json/steps.hpp"

namespace dynamo::validators {
namespace {

const HashKey& key_once(const HashKey& given) {
  static const HashKey key = given;
  return key;
}

struct State {
  explicit State(const HashKey& key)
      : a(key.first ^ 0x736F6D6570736575U),
        b(key.second ^ 0x646F72616E646F6DU),
        c(key.first ^ 0x6C7967656E657261U),
        d(key.second ^ 0x7465646279746573U) {}

  std::uint64_t a;
  std::uint64_t b;
  std::uint64_t c;
  std::uint64_t d;

  void turn() {
    a += b;
    c += d;
    b = std::rotl(b, 13) ^ a;
    d = std::rotl(d, 16) ^ c;
    a = std::rotl(a, 32);
    c += b;
    a += d;
    b = std::rotl(b, 17) ^ c;
    d = std::rotl(d, 21) ^ a;
    c = std::rotl(c, 32);
  }

  void add(std::uint64_t word) {
    d ^= word;
    turn();
    turn();
    a ^= word;
  }
};

// Up to eight bytes, in little-endian order.
std::uint64_t word_of(std::string_view bytes) {
  constexpr unsigned kBitsOfAByte = 8;
  std::uint64_t word = 0;
  for (std::size_t at = bytes.size(); at > 0; --at) {
    word = word << kBitsOfAByte | static_cast<unsigned char>(bytes[at - 1]);
  }
  return word;
}

}  // namespace

void use_hash_key(const HashKey& key) {
  key_once(key);
}

const HashKey& process_hash_key() {
  return key_once({});
}

std::uint64_t siphash(std::string_view text, const HashKey& key) {
  // Names are free: only texts that can grow count steps.
  constexpr std::size_t kBytesOfAStep = 512;
  json::count_steps(text.size() / kBytesOfAStep);
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  constexpr unsigned kLengthShift = 56;
  State state(key);
  std::string_view rest = text;
  for (; rest.size() >= kWord; rest.remove_prefix(kWord)) state.add(word_of(rest.substr(0, kWord)));
  state.add(static_cast<std::uint64_t>(text.size()) << kLengthShift | word_of(rest));
  state.c ^= 0xFFU;
  for (int round = 0; round < 4; ++round) state.turn();
  return state.a ^ state.b ^ state.c ^ state.d;
}

}  // namespace dynamo::validators
