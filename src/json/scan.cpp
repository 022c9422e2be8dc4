#include "json/scan.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

#include "json/special_bytes.hpp"

namespace dynamo::json {
namespace {

bool is_continuation(unsigned char byte) {
  return (byte & 0xC0U) == 0x80U;
}

// Length of the sequence that starts at text[at] (2 to 4), or 0 if it is malformed. The ranges of
// the second byte are those of table 3-7 in the Unicode standard, chapter 3.9.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t offset) -> unsigned char {
    return at + offset < text.size() ? static_cast<unsigned char>(text[at + offset]) : 0;
  };
  const unsigned char lead = byte(0);
  const unsigned char second = byte(1);
  if (lead >= 0xC2 && lead <= 0xDF) return is_continuation(second) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : 0xBF;
    return second >= low && second <= high && is_continuation(byte(2)) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
    const bool well_formed =
        second >= low && second <= high && is_continuation(byte(2)) && is_continuation(byte(3));
    return well_formed ? 4 : 0;
  }
  return 0;
}

constexpr std::size_t kBlock = 64;

// True if no byte is above 0x7E.
bool is_plain_block(const char* bytes) {
#if defined(__SSE2__)
  const auto lane = [bytes](std::size_t index) { return load_block(bytes + 16 * index); };
  const __m128i most = _mm_max_epu8(_mm_max_epu8(lane(0), lane(1)), _mm_max_epu8(lane(2), lane(3)));
  return _mm_movemask_epi8(_mm_adds_epu8(most, _mm_set1_epi8(1))) == 0;
#else
  bool is_plain = true;
  for (std::size_t at = 0; at < kBlock; ++at) {
    is_plain &= static_cast<unsigned char>(bytes[at]) < 0x7F;
  }
  return is_plain;
#endif
}

}  // namespace

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  bool is_plain = true;
  return find_invalid_utf8(text, is_plain);
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text, bool& is_plain) {
  is_plain = true;
  std::size_t at = 0;
  while (at < text.size()) {
    while (at + kBlock <= text.size() && is_plain_block(text.data() + at)) at += kBlock;
    // At most one block byte by byte before the fast scan is retried.
    const std::size_t stop = at + kBlock;
    while (at < text.size() && at < stop) {
      const auto byte = static_cast<unsigned char>(text[at]);
      if (byte < 0x7F) {
        ++at;
        continue;
      }
      const std::size_t length = byte == 0x7F ? 1 : sequence_length(text, at);
      if (length == 0) return at;
      is_plain = false;
      at += length;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> find_end_of_container_bytewise(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  bool escaped = false;  // by the previous byte; also outside strings, where JSON has no backslash
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"' && !escaped) in_string = !in_string;
    escaped = c == '\\' && !escaped;
    if (in_string) continue;
    if (c == '[' || c == '{') {
      ++depth;
    } else if ((c == ']' || c == '}') && --depth == 0) {
      return at + 1;
    }
  }
  return std::nullopt;
}

#if defined(__SSE2__)
namespace {

// 64 bytes at a time, one bit per byte.
struct Block {
  std::uint64_t quotes;
  std::uint64_t backslashes;
  std::uint64_t opening;
  std::uint64_t closing;
};

Block classify(const char* bytes) {
  const __m128i lanes[4] = {load_block(bytes), load_block(bytes + 16), load_block(bytes + 32),
                            load_block(bytes + 48)};
  const auto bits = [](__m128i matches) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(matches)));
  };
  // `folds` are the bits in which matching bytes may differ.
  const auto find = [&](char wanted, char folds) {
    const auto lane = [&](unsigned index) {
      const __m128i folded = _mm_or_si128(lanes[index], _mm_set1_epi8(folds));
      return bits(_mm_cmpeq_epi8(folded, _mm_set1_epi8(wanted)));
    };
    return lane(0) | lane(1) << 16U | lane(2) << 32U | lane(3) << 48U;
  };
  // '[' and '{', like ']' and '}', differ only in bit 0x20.
  return {find('"', 0), find('\\', 0), find('{', 0x20), find('}', 0x20)};
}

// std::popcount() calls the compiler's library if the processor may lack the instruction.
std::size_t count_bits(std::uint64_t bits) {
  bits -= (bits >> 1U) & 0x5555555555555555U;
  bits = (bits & 0x3333333333333333U) + ((bits >> 2U) & 0x3333333333333333U);
  bits = (bits + (bits >> 4U)) & 0x0F0F0F0F0F0F0F0FU;
  return (bits * 0x0101010101010101U) >> 56U;
}

// The bytes that a backslash escapes. `carry` is set if the first byte is escaped by the previous
// block, and is updated for the next one. Backslashes are rare, so they are processed one by one.
std::uint64_t escaped_bytes(std::uint64_t backslashes, bool& carry) {
  std::uint64_t escaped = carry ? 1 : 0;
  std::uint64_t rest = backslashes & ~escaped;
  carry = false;
  while (rest != 0) {
    const auto at = static_cast<unsigned>(std::countr_zero(rest));
    if (at == 63) {
      carry = true;
      break;
    }
    const std::uint64_t next = std::uint64_t{1} << (at + 1);
    escaped |= next;
    rest &= ~(next | (next - 1));
  }
  return escaped;
}

// Bit n of the result is the parity of bits 0..n: set from an opening quote to before the closing
// one.
std::uint64_t prefix_parity(std::uint64_t bits) {
  bits ^= bits << 1U;
  bits ^= bits << 2U;
  bits ^= bits << 4U;
  bits ^= bits << 8U;
  bits ^= bits << 16U;
  bits ^= bits << 32U;
  return bits;
}

// Offset in the block after the bracket that brings `depth` to 0. Precondition: there is one.
std::size_t end_in_block(const Block& block, std::uint64_t outside, std::size_t depth) {
  std::uint64_t brackets = (block.opening | block.closing) & outside;
  for (;;) {
    const auto at = static_cast<unsigned>(std::countr_zero(brackets));
    const std::uint64_t bit = std::uint64_t{1} << at;
    if ((block.opening & bit) != 0) {
      ++depth;
    } else if (--depth == 0) {
      return at + 1;
    }
    brackets &= ~bit;
  }
}

// Whether the closing brackets of the block bring `depth` to 0 somewhere in it.
bool closes_here(const Block& block, std::uint64_t outside, std::size_t depth) {
  std::uint64_t brackets = (block.opening | block.closing) & outside;
  while (brackets != 0) {
    const std::uint64_t bit = brackets & (~brackets + 1);
    if ((block.opening & bit) != 0) {
      ++depth;
    } else if (--depth == 0) {
      return true;
    }
    brackets &= ~bit;
  }
  return false;
}

}  // namespace

std::optional<std::size_t> find_end_of_container(std::string_view text) {
  std::size_t depth = 0;
  bool escape_carry = false;
  std::uint64_t in_string_carry = 0;  // all ones when the block begins inside a string
  char tail[kBlock] = {};
  for (std::size_t at = 0; at < text.size(); at += kBlock) {
    const char* bytes = text.data() + at;
    if (text.size() - at < kBlock) {
      std::memcpy(tail, bytes, text.size() - at);
      bytes = tail;
    }
    const Block block = classify(bytes);
    const std::uint64_t quotes = block.quotes & ~escaped_bytes(block.backslashes, escape_carry);
    const std::uint64_t inside = prefix_parity(quotes) ^ in_string_carry;
    in_string_carry = (inside >> 63U) != 0 ? ~std::uint64_t{0} : 0;
    const std::uint64_t outside = ~inside;
    const std::size_t opened = count_bits(block.opening & outside);
    const std::size_t closed = count_bits(block.closing & outside);
    if (closed >= depth && closes_here(block, outside, depth)) {
      return at + end_in_block(block, outside, depth);
    }
    depth += opened - closed;
  }
  return std::nullopt;
}
#else
std::optional<std::size_t> find_end_of_container(std::string_view text) {
  return find_end_of_container_bytewise(text);
}
#endif

}  // namespace dynamo::json
