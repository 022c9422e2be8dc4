#include "render/component/hash.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "json/writer.hpp"

namespace dynamo::render {
namespace {

constexpr std::size_t kBlock = 64;

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using State = std::array<std::uint32_t, 8>;

void digest_block(State& state, const std::uint8_t* block) {
  std::array<std::uint32_t, 64> words{};
  for (std::size_t i = 0; i < 16; ++i) {
    words[i] = std::uint32_t{block[4 * i]} << 24U | std::uint32_t{block[4 * i + 1]} << 16U |
               std::uint32_t{block[4 * i + 2]} << 8U | std::uint32_t{block[4 * i + 3]};
  }
  for (std::size_t i = 16; i < words.size(); ++i) {
    const std::uint32_t early = words[i - 15];
    const std::uint32_t late = words[i - 2];
    words[i] = words[i - 16] + words[i - 7] +
               (std::rotr(early, 7) ^ std::rotr(early, 18) ^ early >> 3U) +
               (std::rotr(late, 17) ^ std::rotr(late, 19) ^ late >> 10U);
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint32_t mixed = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                ((e & f) ^ (~e & g)) + kRounds[i] + words[i];
    const std::uint32_t majority =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + mixed;
    d = c;
    c = b;
    b = a;
    a = mixed + majority;
  }
  const State added = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += added[i];
}

template <std::size_t Digits>
HexHash<Digits> hex(const Sha256& hash) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  HexHash<Digits> out{};
  for (std::size_t i = 0; i < Digits; ++i) {
    const unsigned nibble = i % 2 == 0 ? hash[i / 2] >> 4U : hash[i / 2] & 0xFU;
    out.digits[i] = kDigits[nibble];
  }
  return out;
}

// JSON as Go writes it: five more characters than in RFC 8259 are escaped, so that the text is safe
// in HTML and JavaScript.
std::string escaped_as_in_go(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    if (rest.front() == '<') {
      out += "\\u003c";
    } else if (rest.front() == '>') {
      out += "\\u003e";
    } else if (rest.front() == '&') {
      out += "\\u0026";
    } else if (rest.starts_with("\xE2\x80\xA8") || rest.starts_with("\xE2\x80\xA9")) {
      out += rest[2] == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += rest.front();
    }
  }
  return out;
}

}  // namespace

Sha256 sha256(std::string_view bytes) {
  // The first 32 bits of the fractional parts of the square roots of the first 8 primes.
  State state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const auto* const data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const std::size_t whole = bytes.size() / kBlock;
  for (std::size_t i = 0; i < whole; ++i) digest_block(state, data + i * kBlock);

  std::array<std::uint8_t, 2 * kBlock> tail{};
  const std::size_t rest = bytes.size() - whole * kBlock;
  if (rest > 0) std::memcpy(tail.data(), data + whole * kBlock, rest);
  tail[rest] = 0x80;
  const std::size_t blocks = rest + 1 + 8 > kBlock ? 2 : 1;
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (std::size_t i = 0; i < 8; ++i) {
    tail[blocks * kBlock - 1 - i] = static_cast<std::uint8_t>(bits >> (8 * i));
  }
  for (std::size_t i = 0; i < blocks; ++i) digest_block(state, tail.data() + i * kBlock);

  Sha256 hash{};
  for (std::size_t i = 0; i < hash.size(); ++i) {
    hash[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  }
  return hash;
}

HexHash<8> base_model_hash(std::string_view model) {
  return hex<8>(sha256(model));
}

std::string checkpoint_identity_text(json::Value identity) {
  std::string text;
  json::Writer writer(text);
  const auto string = [&](std::string_view name, bool always) {
    const std::string_view value = identity[name].string_or_empty();
    if (always || !value.empty()) writer.member(name, value);
  };
  const auto at_least_one = [&](std::string_view name) {
    const std::int64_t value = identity[name].integer().value_or(0);
    writer.key(name).integer(value == 0 ? 1 : value);
  };
  writer.start_object();
  string("model", true);
  string("backendFramework", true);
  string("dynamoVersion", false);
  at_least_one("tensorParallelSize");
  at_least_one("pipelineParallelSize");
  string("dtype", false);
  if (const std::int64_t length = identity["maxModelLen"].integer().value_or(0); length != 0) {
    writer.key("maxModelLen").integer(length);
  }
  if (const json::Value extra = identity["extraParameters"]; extra.size() > 0) {
    std::vector<std::pair<std::string_view, std::string_view>> sorted;
    for (const auto [name, value] : extra.members()) {
      sorted.emplace_back(name, value.string_or_empty());
    }
    std::sort(sorted.begin(), sorted.end());
    writer.key("extraParameters").start_object();
    for (const auto& [name, value] : sorted) writer.member(name, value);
    writer.end_object();
  }
  writer.end_object();
  return escaped_as_in_go(text);
}

HexHash<16> checkpoint_identity_hash(json::Value identity) {
  return hex<16>(sha256(checkpoint_identity_text(identity)));
}

}  // namespace dynamo::render
