#include "text/presentable.hpp"

namespace dynamo::text {

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
  std::size_t length = text.size();
  if (length > longest) {
    length = longest;
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;
  }
  std::string shown(text.substr(0, length));
  blank_control_characters(shown);
  out += shown;
  if (length < text.size()) out += "…";
}

}  // namespace dynamo::text
