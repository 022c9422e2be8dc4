#include "text/printable.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace dynamo::text {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Unicode 14: the categories Cc, Zs, Zl, Zp and Cf, without U+0020 and the visible number signs of
// Arabic, Syriac and Kaithi; plus Default_Ignorable_Code_Point and U+2800.
constexpr auto kInvisible = std::to_array<Range>({
    {0x0000, 0x001F},   {0x007F, 0x00A0},   {0x00AD, 0x00AD},   {0x034F, 0x034F},
    {0x061C, 0x061C},   {0x115F, 0x1160},   {0x1680, 0x1680},   {0x17B4, 0x17B5},
    {0x180B, 0x180F},   {0x2000, 0x200F},   {0x2028, 0x202F},   {0x205F, 0x206F},
    {0x2800, 0x2800},   {0x3000, 0x3000},   {0x3164, 0x3164},   {0xFE00, 0xFE0F},
    {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},   {0x13430, 0x13438},
    {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
});

// One flag per block of 64 codes up to the last in kInvisible: whether it has an invisible one.
// Texts of most scripts need no search.
constexpr unsigned kRangeBits = 6;
constexpr auto kInvisibleBlocks = [] {
  std::array<bool, (kInvisible.back().last >> kRangeBits) + 1> blocks{};
  for (const Range& range : kInvisible) {
    for (char32_t at = range.first >> kRangeBits; at <= range.last >> kRangeBits; ++at) {
      blocks[at] = true;
    }
  }
  return blocks;
}();

struct Name {
  char32_t code;
  std::string_view name;
};

// Characters that editors, chats and office programs leave in a manifest; sorted.
constexpr auto kNames = std::to_array<Name>({
    {0x0000, "NULL"},
    {0x0007, "BELL"},
    {0x0008, "BACKSPACE"},
    {0x0009, "TAB"},
    {0x000A, "LINE FEED"},
    {0x000B, "VERTICAL TAB"},
    {0x000C, "FORM FEED"},
    {0x000D, "CARRIAGE RETURN"},
    {0x001B, "ESCAPE"},
    {0x007F, "DELETE"},
    {0x0085, "NEXT LINE"},
    {0x00A0, "NO-BREAK SPACE"},
    {0x00AD, "SOFT HYPHEN"},
    {0x034F, "COMBINING GRAPHEME JOINER"},
    {0x061C, "ARABIC LETTER MARK"},
    {0x115F, "HANGUL CHOSEONG FILLER"},
    {0x1160, "HANGUL JUNGSEONG FILLER"},
    {0x1680, "OGHAM SPACE MARK"},
    {0x180E, "MONGOLIAN VOWEL SEPARATOR"},
    {0x2000, "EN QUAD"},
    {0x2001, "EM QUAD"},
    {0x2002, "EN SPACE"},
    {0x2003, "EM SPACE"},
    {0x2004, "THREE-PER-EM SPACE"},
    {0x2005, "FOUR-PER-EM SPACE"},
    {0x2006, "SIX-PER-EM SPACE"},
    {0x2007, "FIGURE SPACE"},
    {0x2008, "PUNCTUATION SPACE"},
    {0x2009, "THIN SPACE"},
    {0x200A, "HAIR SPACE"},
    {0x200B, "ZERO WIDTH SPACE"},
    {0x200C, "ZERO WIDTH NON-JOINER"},
    {0x200D, "ZERO WIDTH JOINER"},
    {0x200E, "LEFT-TO-RIGHT MARK"},
    {0x200F, "RIGHT-TO-LEFT MARK"},
    {0x2028, "LINE SEPARATOR"},
    {0x2029, "PARAGRAPH SEPARATOR"},
    {0x202A, "LEFT-TO-RIGHT EMBEDDING"},
    {0x202B, "RIGHT-TO-LEFT EMBEDDING"},
    {0x202C, "POP DIRECTIONAL FORMATTING"},
    {0x202D, "LEFT-TO-RIGHT OVERRIDE"},
    {0x202E, "RIGHT-TO-LEFT OVERRIDE"},
    {0x202F, "NARROW NO-BREAK SPACE"},
    {0x205F, "MEDIUM MATHEMATICAL SPACE"},
    {0x2060, "WORD JOINER"},
    {0x2061, "FUNCTION APPLICATION"},
    {0x2062, "INVISIBLE TIMES"},
    {0x2063, "INVISIBLE SEPARATOR"},
    {0x2064, "INVISIBLE PLUS"},
    {0x2066, "LEFT-TO-RIGHT ISOLATE"},
    {0x2067, "RIGHT-TO-LEFT ISOLATE"},
    {0x2068, "FIRST STRONG ISOLATE"},
    {0x2069, "POP DIRECTIONAL ISOLATE"},
    {0x2800, "BRAILLE PATTERN BLANK"},
    {0x3000, "IDEOGRAPHIC SPACE"},
    {0x3164, "HANGUL FILLER"},
    {0xFE0E, "VARIATION SELECTOR-15"},
    {0xFE0F, "VARIATION SELECTOR-16"},
    {0xFEFF, "ZERO WIDTH NO-BREAK SPACE"},
    {0xFFA0, "HALFWIDTH HANGUL FILLER"},
    {0xE0001, "LANGUAGE TAG"},
});

constexpr unsigned char byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

void append_hex(std::string& out, std::uint32_t value, unsigned digits, std::string_view alphabet) {
  while (digits > 0) {
    --digits;
    out += alphabet[(value >> (4 * digits)) & 0xFU];
  }
}

constexpr std::string_view kLower = "0123456789abcdef";
constexpr std::string_view kUpper = "0123456789ABCDEF";

}  // namespace

Character first_character(std::string_view text) {
  if (text.empty()) return {.code = 0, .length = 0, .is_utf8 = true};
  const unsigned char first = byte_at(text, 0);
  if (first < 0x80) return {.code = first, .length = 1, .is_utf8 = true};
  const Character malformed{.code = first, .length = 1, .is_utf8 = false};
  if (first < 0xC2 || first > 0xF4) return malformed;
  std::size_t length = 4;
  char32_t code = first & 0x07U;
  if (first < 0xE0) {
    length = 2;
    code = first & 0x1FU;
  } else if (first < 0xF0) {
    length = 3;
    code = first & 0x0FU;
  }
  if (text.size() < length) return malformed;
  for (std::size_t at = 1; at < length; ++at) {
    const unsigned char byte = byte_at(text, at);
    if ((byte & 0xC0U) != 0x80U) return malformed;
    code = (code << 6U) | (byte & 0x3FU);
  }
  // Overlong forms, surrogates, and codes after the last character.
  const bool is_overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  if (is_overlong || (code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF) return malformed;
  return {.code = code, .length = length, .is_utf8 = true};
}

bool is_invisible(char32_t code) {
  if ((code & 0xFFFEU) == 0xFFFEU) return true;  // U+FFFE, U+FFFF, and so on: noncharacters
  const char32_t block = code >> kRangeBits;
  if (block >= kInvisibleBlocks.size() || !kInvisibleBlocks[block]) return false;
  const auto* const range = std::ranges::lower_bound(kInvisible, code, {}, &Range::last);
  return range != kInvisible.end() && range->first <= code;
}

std::size_t find_invisible(std::string_view text, std::size_t from) {
  for (std::size_t at = from; at < text.size();) {
    const unsigned char byte = byte_at(text, at);
    if (byte >= 0x20 && byte < 0x7F) {
      ++at;
      continue;
    }
    const Character character = first_character(text.substr(at));
    if (!character.is_utf8 || is_invisible(character.code)) return at;
    at += character.length;
  }
  return std::string_view::npos;
}

std::string describe_character(char32_t code) {
  std::string out = "U+";
  unsigned digits = 4;
  while (digits < 6 && (code >> (4 * digits)) != 0) ++digits;
  append_hex(out, code, digits, kUpper);
  const auto* const found = std::ranges::lower_bound(kNames, code, {}, &Name::code);
  if (found != kNames.end() && found->code == code) {
    out += ' ';
    out += found->name;
  }
  return out;
}

void append_escape(std::string& out, char32_t code) {
  if (code < 0x80) {
    out += "\\x";
    append_hex(out, code, 2, kLower);
  } else if (code <= 0xFFFF) {
    out += "\\u";
    append_hex(out, code, 4, kLower);
  } else {
    out += "\\U";
    append_hex(out, code, 8, kLower);
  }
}

void append_json_escape(std::string& out, char32_t code) {
  if (code > 0xFFFF) {
    const char32_t offset = code - 0x10000;
    out += "\\u";
    append_hex(out, 0xD800 + (offset >> 10U), 4, kLower);
    code = 0xDC00 + (offset & 0x3FFU);
  }
  out += "\\u";
  append_hex(out, code, 4, kLower);
}

void append_printable(std::string& out, std::string_view text, bool keep_tabs) {
  while (!text.empty()) {
    const std::size_t at = std::min(find_invisible(text), text.size());
    out += text.substr(0, at);
    text.remove_prefix(at);
    if (text.empty()) return;
    const Character character = first_character(text);
    if (keep_tabs && character.code == '\t') {
      out += '\t';
    } else if (character.is_utf8) {
      append_escape(out, character.code);
    } else {
      out += "\\x";
      append_hex(out, character.code, 2, kLower);
    }
    text.remove_prefix(character.length);
  }
}

std::string printable(std::string_view text) {
  std::string out;
  append_printable(out, text);
  return out;
}

}  // namespace dynamo::text
