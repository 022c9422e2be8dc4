#include "json/scan.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "json/document.hpp"
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

std::optional<std::size_t> find_end_of_string_bytewise(std::string_view text) {
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '"') return at + 1;
    if (text[at] == '\\') ++at;
  }
  return std::nullopt;
}

#if defined(__SSE2__)
namespace {

// The classes of 64 bytes, one bit per byte.
struct Block {
  std::uint64_t quotes;
  std::uint64_t backslashes;
  std::uint64_t opening;
  std::uint64_t closing;
};

// Operations on a block with the instructions of every x86-64 processor. Always inlined, so that
// parts that a scan does not use cost nothing.
struct Baseline {
  [[gnu::always_inline]] static Block classify(const char* bytes) {
    const __m128i lanes[4] = {load_block(bytes), load_block(bytes + 16), load_block(bytes + 32),
                              load_block(bytes + 48)};
    // `folds` are the bits in which matching bytes may differ.
    const auto find = [&lanes](char wanted, char folds) {
      const auto lane = [&](unsigned index) {
        const __m128i folded = _mm_or_si128(lanes[index], _mm_set1_epi8(folds));
        const __m128i matches = _mm_cmpeq_epi8(folded, _mm_set1_epi8(wanted));
        return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(matches)));
      };
      return lane(0) | lane(1) << 16U | lane(2) << 32U | lane(3) << 48U;
    };
    // '[' and '{', like ']' and '}', differ only in bit 0x20.
    return {find('"', 0), find('\\', 0), find('{', 0x20), find('}', 0x20)};
  }

  static std::size_t count(std::uint64_t bits) {
    bits -= (bits >> 1U) & 0x5555555555555555U;
    bits = (bits & 0x3333333333333333U) + ((bits >> 2U) & 0x3333333333333333U);
    bits = (bits + (bits >> 4U)) & 0x0F0F0F0F0F0F0F0FU;
    return (bits * 0x0101010101010101U) >> 56U;
  }

  // Bit n of the result is the parity of bits 0..n: set from an opening quote to before the closing
  // one.
  static std::uint64_t prefix_parity(std::uint64_t bits) {
    bits ^= bits << 1U;
    bits ^= bits << 2U;
    bits ^= bits << 4U;
    bits ^= bits << 8U;
    bits ^= bits << 16U;
    bits ^= bits << 32U;
    return bits;
  }
};

// The same with wider vectors, which most processors since 2013 have.
#define DYNAMO_WIDE [[gnu::target("avx2,bmi,pclmul,popcnt")]]
struct Wide {
  DYNAMO_WIDE static Block classify(const char* bytes) {
    __m256i low;
    __m256i high;
    std::memcpy(&low, bytes, sizeof low);
    std::memcpy(&high, bytes + sizeof low, sizeof high);
    const __m256i fold = _mm256_set1_epi8(0x20);
    const __m256i low_folded = _mm256_or_si256(low, fold);
    const __m256i high_folded = _mm256_or_si256(high, fold);
    return {find(low, high, '"'), find(low, high, '\\'), find(low_folded, high_folded, '{'),
            find(low_folded, high_folded, '}')};
  }
  DYNAMO_WIDE static std::uint64_t find(__m256i low, __m256i high, char wanted) {
    const __m256i each = _mm256_set1_epi8(wanted);
    const auto bits =
        static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, each)));
    const auto high_bits =
        static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, each)));
    return bits | static_cast<std::uint64_t>(high_bits) << 32U;
  }
  DYNAMO_WIDE static std::size_t count(std::uint64_t bits) {
    return static_cast<std::size_t>(__builtin_popcountll(bits));
  }
  DYNAMO_WIDE static std::uint64_t prefix_parity(std::uint64_t bits) {
    // Multiplication without carries by a number of ones adds all lower bits to each.
    const __m128i product = _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<std::int64_t>(bits)),
                                                 _mm_set1_epi8(static_cast<char>(0xFF)), 0);
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(product));
  }
};

// The bytes that a backslash escapes. `carry` is set if the first byte is escaped by the previous
// block, and is updated for the next one.
std::uint64_t escaped_bytes(std::uint64_t backslashes, bool& carry) {
  if (backslashes == 0) {
    const std::uint64_t first = carry ? 1 : 0;
    carry = false;
    return first;
  }
  // Every second backslash of a run escapes the byte after it. Adding a run's first bit to the run
  // carries into the byte after it. Runs that begin at odd bits are added apart, so that the
  // position of that byte, even or odd, shows whether the run escapes it.
  constexpr std::uint64_t kEven = 0x5555555555555555U;
  backslashes &= ~std::uint64_t{carry};
  const std::uint64_t after = backslashes << 1U | std::uint64_t{carry};
  const std::uint64_t odd_starts = backslashes & ~kEven & ~after;
  const std::uint64_t sums = odd_starts + backslashes;
  carry = sums < backslashes;
  return (kEven ^ (sums << 1U)) & after;
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

// A block of the text; a copy in `tail`, which is zero behind it, if less than a block is left.
[[gnu::always_inline]] inline const char* block_at(std::string_view text, std::size_t at,
                                                   char (&tail)[kBlock]) {
  if (text.size() - at >= kBlock) return text.data() + at;
  std::memcpy(tail, text.data() + at, text.size() - at);
  return tail;
}

template <typename Bits>
[[gnu::always_inline]] inline std::optional<std::size_t> end_of_container(std::string_view text) {
  std::size_t depth = 0;
  bool escape_carry = false;
  std::uint64_t in_string_carry = 0;  // all ones when the block begins inside a string
  char tail[kBlock] = {};
  for (std::size_t at = 0; at < text.size(); at += kBlock) {
    const Block block = Bits::classify(block_at(text, at, tail));
    const std::uint64_t quotes = block.quotes & ~escaped_bytes(block.backslashes, escape_carry);
    const std::uint64_t inside = Bits::prefix_parity(quotes) ^ in_string_carry;
    in_string_carry = (inside >> 63U) != 0 ? ~std::uint64_t{0} : 0;
    const std::uint64_t outside = ~inside;
    const std::size_t opened = Bits::count(block.opening & outside);
    const std::size_t closed = Bits::count(block.closing & outside);
    if (closed >= depth && closes_here(block, outside, depth)) {
      return at + end_in_block(block, outside, depth);
    }
    depth += opened - closed;
  }
  return std::nullopt;
}

template <typename Bits>
[[gnu::always_inline]] inline std::optional<std::size_t> end_of_string(std::string_view text) {
  bool escape_carry = false;
  std::uint64_t before = 1;  // the opening quote
  char tail[kBlock] = {};
  for (std::size_t at = 0; at < text.size(); at += kBlock) {
    const Block block = Bits::classify(block_at(text, at, tail));
    const std::uint64_t closing =
        block.quotes & ~escaped_bytes(block.backslashes, escape_carry) & ~before;
    if (closing != 0) return at + static_cast<std::size_t>(std::countr_zero(closing)) + 1;
    before = 0;
  }
  return std::nullopt;
}

DYNAMO_WIDE std::optional<std::size_t> wide_end_of_container(std::string_view text) {
  return end_of_container<Wide>(text);
}

DYNAMO_WIDE std::optional<std::size_t> wide_end_of_string(std::string_view text) {
  return end_of_string<Wide>(text);
}
#undef DYNAMO_WIDE

const bool kHasWide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                      __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("popcnt");

}  // namespace

std::optional<std::size_t> find_end_of_container(std::string_view text) {
  return kHasWide ? wide_end_of_container(text) : end_of_container<Baseline>(text);
}

std::optional<std::size_t> find_end_of_string(std::string_view text) {
  return kHasWide ? wide_end_of_string(text) : end_of_string<Baseline>(text);
}

std::optional<std::size_t> find_end_of_container_baseline(std::string_view text) {
  return end_of_container<Baseline>(text);
}

std::optional<std::size_t> find_end_of_string_baseline(std::string_view text) {
  return end_of_string<Baseline>(text);
}
#else
std::optional<std::size_t> find_end_of_container(std::string_view text) {
  return find_end_of_container_bytewise(text);
}

std::optional<std::size_t> find_end_of_string(std::string_view text) {
  return find_end_of_string_bytewise(text);
}

std::optional<std::size_t> find_end_of_container_baseline(std::string_view text) {
  return find_end_of_container_bytewise(text);
}

std::optional<std::size_t> find_end_of_string_baseline(std::string_view text) {
  return find_end_of_string_bytewise(text);
}
#endif

std::size_t max_parse_memory(std::string_view text) {
  // One of these characters precedes each node but the first.
  std::size_t nodes = 1;
  for (std::size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
      case '"':
        at += find_end_of_string(text.substr(at)).value_or(text.size() - at) - 1;
        break;
      case ',':
      case ':':
      case '{':
      case '[':
        ++nodes;
        break;
      default:
        break;
    }
  }
  return 2 * text.size() + 3 * nodes * sizeof(Node);
}

}  // namespace dynamo::json
