#include "json/visible.hpp"

#include <algorithm>
#include <cstddef>

#include "text/printable.hpp"

namespace dynamo::json {

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
    } else {
      text::append_json_escape(out, character.code);
    }
    json.remove_prefix(character.length);
  }
}

}  // namespace dynamo::json
