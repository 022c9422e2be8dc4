// Code points: JSON surrogate pairs and UTF-8 encoding.
#pragma once

namespace dynamo::json {

inline bool is_high_surrogate(unsigned code) {
  return code >= 0xD800 && code <= 0xDBFF;
}
inline bool is_low_surrogate(unsigned code) {
  return code >= 0xDC00 && code <= 0xDFFF;
}

// Writes a code point as UTF-8 and returns the end of the written bytes.
inline char* encode(unsigned code_point, char* to) {
  const auto put = [&](unsigned byte) { *to++ = static_cast<char>(byte); };
  const auto put_rest = [&](unsigned shift) { put(0x80U | ((code_point >> shift) & 0x3FU)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0U | (code_point >> 6U));
    put_rest(0);
  } else if (code_point < 0x10000) {
    put(0xE0U | (code_point >> 12U));
    put_rest(6);
    put_rest(0);
  } else {
    put(0xF0U | (code_point >> 18U));
    put_rest(12);
    put_rest(6);
    put_rest(0);
  }
  return to;
}

}  // namespace dynamo::json
