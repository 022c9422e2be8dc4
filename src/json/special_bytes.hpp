// Finds the bytes that end a run of ordinary characters in a JSON string: a quote, a backslash or a
// control character.
#pragma once

#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace dynamo::json {

constexpr bool is_special(char c) {
  return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
}

#if defined(__SSE2__)
inline __m128i load_block(const char* from) {
  __m128i bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  return bytes;
}

// One bit per byte.
inline unsigned special_bytes(__m128i bytes) {
  const __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
  const __m128i backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
  const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes);
  return static_cast<unsigned>(
      _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), control)));
}
#endif

}  // namespace dynamo::json
