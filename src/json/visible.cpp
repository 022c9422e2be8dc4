#include "json/visible.hpp"

#include <algorithm>
#include <cstddef>

#include "text/printable.hpp"

namespace dynamo::json {
namespace {

void append_unit(std::string& out, char32_t unit) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += "\\u";
  for (unsigned shift = 16; shift != 0;) {
    shift -= 4;
    out += kHex[(unit >> shift) & 0xFU];
  }
}

}  // namespace

void append_visible(std::string& out, std::string_view json) {
  while (!json.empty()) {
    const std::size_t plain = std::min(text::find_invisible(json), json.size());
    out += json.substr(0, plain);
    json.remove_prefix(plain);
    if (json.empty()) return;
    const text::Character character = text::first_character(json);
    // JSON has ASCII control characters other than DEL only as space between tokens.
    if (!character.is_utf8 || character.code < 0x20) {
      out += json.substr(0, character.length);
    } else if (character.code > 0xFFFF) {
      append_unit(out, 0xD800 + ((character.code - 0x10000) >> 10U));
      append_unit(out, 0xDC00 + (character.code & 0x3FFU));
    } else {
      append_unit(out, character.code);
    }
    json.remove_prefix(character.length);
  }
}

}  // namespace dynamo::json
