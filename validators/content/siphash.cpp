#include "validators/content/siphash.hpp"

#include <bit>
#include <cstddef>

namespace dynamo::validators {
namespace {

// The key of the published test vectors: bytes 0 to 15.
constexpr std::uint64_t kFirstKey = 0x0706050403020100U;
constexpr std::uint64_t kSecondKey = 0x0F0E0D0C0B0A0908U;

struct State {
  std::uint64_t a = kFirstKey ^ 0x736F6D6570736575U;
  std::uint64_t b = kSecondKey ^ 0x646F72616E646F6DU;
  std::uint64_t c = kFirstKey ^ 0x6C7967656E657261U;
  std::uint64_t d = kSecondKey ^ 0x7465646279746573U;

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

// Up to eight bytes, the first one lowest.
std::uint64_t word_of(std::string_view bytes) {
  constexpr unsigned kBitsOfAByte = 8;
  std::uint64_t word = 0;
  for (std::size_t at = bytes.size(); at > 0; --at) {
    word = word << kBitsOfAByte | static_cast<unsigned char>(bytes[at - 1]);
  }
  return word;
}

}  // namespace

std::uint64_t siphash(std::string_view text) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  constexpr unsigned kLengthShift = 56;
  State state;
  std::string_view rest = text;
  for (; rest.size() >= kWord; rest.remove_prefix(kWord)) state.add(word_of(rest.substr(0, kWord)));
  state.add(static_cast<std::uint64_t>(text.size()) << kLengthShift | word_of(rest));
  state.c ^= 0xFFU;
  for (int round = 0; round < 4; ++round) state.turn();
  return state.a ^ state.b ^ state.c ^ state.d;
}

}  // namespace dynamo::validators
