#include "validators/report.hpp"

namespace dynamo::validators {

std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 64;
  std::size_t length = text.size();
  if (length > kLongest) {
    length = kLongest;
    // Not in the middle of a UTF-8 sequence.
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;
  }
  std::string out = "\"";
  for (const char c : text.substr(0, length)) {
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
  }
  if (length < text.size()) out += "…";
  out += '"';
  return out;
}

}  // namespace dynamo::validators
