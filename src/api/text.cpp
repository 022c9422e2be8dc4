#include "api/text.hpp"

namespace dynamo::api {

void append_presentable(std::string& out, std::string_view text, std::size_t longest) {
  std::size_t length = text.size();
  if (length > longest) {
    length = longest;
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;
  }
  for (const char c : text.substr(0, length)) {
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
  }
  if (length < text.size()) out += "…";
}

}  // namespace dynamo::api
