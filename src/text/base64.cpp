#include "text/base64.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace dynamo::text {
namespace {

constexpr unsigned kNoDigit = 64;

constexpr unsigned digit(char letter) {
  if (letter >= 'A' && letter <= 'Z') return static_cast<unsigned>(letter - 'A');
  if (letter >= 'a' && letter <= 'z') return static_cast<unsigned>(letter - 'a') + 26;
  if (letter >= '0' && letter <= '9') return static_cast<unsigned>(letter - '0') + 52;
  if (letter == '+') return 62;
  if (letter == '/') return 63;
  return kNoDigit;
}

constexpr bool is_passed_over(char letter, Base64Blanks blanks) {
  if (letter == '\n' || letter == '\r') return true;
  return blanks == Base64Blanks::kAll && (letter == ' ' || letter == '\t');
}

}  // namespace

std::optional<std::string> decode_base64(std::string_view text, Base64Blanks blanks) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;
  unsigned letters = 0;  // of the group of four, padding included
  unsigned padding = 0;
  bool ended = false;  // nothing may follow a group with padding
  for (const char letter : text) {
    if (is_passed_over(letter, blanks)) continue;
    if (ended) return std::nullopt;
    if (letter == '=') {
      if (letters < 2) return std::nullopt;
      ++padding;
      group <<= 6U;
    } else {
      const unsigned value = digit(letter);
      if (value == kNoDigit || padding > 0) return std::nullopt;
      group = group << 6U | value;
    }
    if (++letters < 4) continue;
    for (unsigned i = 0; i < 3 - padding; ++i) {
      bytes += static_cast<char>(group >> (16U - 8U * i) & 0xFFU);
    }
    ended = padding > 0;
    group = 0;
    letters = 0;
  }
  if (letters != 0) return std::nullopt;
  return bytes;
}

void append_base64(std::string& out, std::string_view bytes) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t taken = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      group = (group << 8U) | (i < taken ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      out += i <= taken ? kAlphabet[(group >> (18U - 6U * i)) & 0x3FU] : '=';
    }
  }
}

std::string encode_base64(std::string_view bytes) {
  std::string text;
  append_base64(text, bytes);
  return text;
}

}  // namespace dynamo::text
