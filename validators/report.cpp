#include "validators/report.hpp"

#include <array>

#include "text/lookalike.hpp"
#include "text/presentable.hpp"
#include "validators/content/siphash.hpp"

namespace dynamo::validators {

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::kOff:
      return "off";
    case Severity::kWarn:
      return "warn";
    case Severity::kDeny:
      return "deny";
  }
  return "";
}

Discriminator about(std::initializer_list<std::string_view> values) {
  std::array<std::uint64_t, 2> numbers{};
  for (const std::string_view value : values) {
    numbers = {hash_of(numbers), siphash(value)};
  }
  return {hash_of(numbers)};
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 64;
  constexpr std::size_t kHead = 40;
  constexpr std::size_t kTail = 20;
  std::string out = "\"";
  if (text.size() <= kLongest) {
    text::append_presentable(out, text, kLongest);
  } else {
    // Images and names often differ only at their end.
    text::append_presentable(out, text, kHead);
    std::size_t tail = text.size() - kTail;
    while (tail < text.size() && (static_cast<unsigned char>(text[tail]) & 0xC0U) == 0x80U) ++tail;
    text::append_presentable(out, text.substr(tail), kTail);
  }
  out += '"';
  text::append_suspect_note(out, text);
  return out;
}

}  // namespace dynamo::validators
