#include "text/presentable.hpp"

#include "text/printable.hpp"

namespace dynamo::text {
namespace {

bool is_control(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F);
}

}  // namespace

void blank_control_characters(std::string& text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x20 || byte == 0x7F) {
      text[at] = ' ';
    } else if (byte == 0xC2 && at + 1 < text.size() &&
               static_cast<unsigned char>(text[at + 1]) <= 0x9F) {
      text[at] = ' ';  // C2 80 to C2 9F are U+0080 to U+009F
      text[at + 1] = ' ';
    }
  }
}

void append_presentable(std::string& out, std::string_view text, std::size_t longest) {
  std::size_t room = longest;
  std::string shown;
  while (!text.empty()) {
    const Character character = first_character(text);
    shown.clear();
    if (character.is_utf8 && is_control(character.code)) {
      shown.append(character.length, ' ');
    } else {
      append_printable(shown, text.substr(0, character.length));
    }
    if (shown.size() > room) break;
    room -= shown.size();
    out += shown;
    text.remove_prefix(character.length);
  }
  if (!text.empty()) out += "…";
}

}  // namespace dynamo::text
