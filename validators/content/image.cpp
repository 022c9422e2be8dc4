#include "validators/content/image.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "text/characters.hpp"

namespace dynamo::validators {
namespace {

constexpr std::size_t kLongestTag = 128;
constexpr std::size_t kLongestName = 255;

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || is_digit(c);
}
constexpr bool is_alphanumeric(char c) {
  return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z');
}

constexpr text::Characters kLowerOrDigit{is_lower_or_digit};
constexpr text::Characters kOfHosts{[](char c) { return is_alphanumeric(c) || c == '-'; }};
constexpr text::Characters kOfTags{
    [](char c) { return is_alphanumeric(c) || c == '_' || c == '.' || c == '-'; }};

// Lower case letters and digits; between them '.', '_', "__" or any number of '-'.
bool is_path_component(std::string_view text) {
  if (text.empty() || !is_lower_or_digit(text.front()) || !is_lower_or_digit(text.back())) {
    return false;
  }
  std::size_t at = 0;
  while (at < text.size()) {
    if (kLowerOrDigit.has(text[at])) {
      ++at;
      continue;
    }
    const char separator = text[at];
    std::size_t length = 0;
    while (at + length < text.size() && text[at + length] == separator) ++length;
    if (separator != '-' && separator != '.' && separator != '_') return false;
    if ((separator == '.' && length > 1) || (separator == '_' && length > 2)) return false;
    at += length;
    if (at < text.size() && !is_lower_or_digit(text[at])) return false;
  }
  return true;
}

bool is_host_part(std::string_view text) {
  return !text.empty() && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
         kOfHosts.has_all(text);
}

bool is_host(std::string_view text) {
  if (text.starts_with('[')) {  // IPv6
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return false;
    const std::string_view rest = text.substr(close + 1);
    return rest.empty() || (rest.size() > 1 && rest.front() == ':' &&
                            std::ranges::all_of(rest.substr(1), is_digit));
  }
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    const std::string_view port = text.substr(colon + 1);
    if (port.empty() || !std::ranges::all_of(port, is_digit)) return false;
    text = text.substr(0, colon);
  }
  while (true) {
    const std::size_t dot = text.find('.');
    if (!is_host_part(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_tag(std::string_view text) {
  return !text.empty() && text.size() <= kLongestTag && text.front() != '.' &&
         text.front() != '-' && kOfTags.has_all(text);
}

// ALGORITHM:HEX
bool is_digest(std::string_view text) {
  constexpr std::size_t kShortest = 32;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view hex = text.substr(colon + 1);
  return hex.size() >= kShortest && std::ranges::all_of(hex, [](char c) {
           return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
         });
}

// Marks of placeholders: signs that references never contain, and words to be replaced. Each mark
// is searched for by a letter that is rare in references, because this check runs for every image
// of every pod.
struct Mark {
  std::string_view text;
  std::size_t letter = 0;  // its index in `text`
};
constexpr std::array<Mark, 8> kMarks{
    {{"<"}, {"${"}, {"$("}, {"{{"}, {":my-tag", 2}, {"/your-", 1}, {"your_"}, {"YOUR_"}}};
constexpr text::Characters kOfMarks{[](char c) {
  return std::ranges::any_of(kMarks, [c](const Mark& mark) { return mark.text[mark.letter] == c; });
}};

// Only the beginning is read, because longer texts are neither references nor placeholders: each
// letter of kOfMarks costs a comparison with all marks.
constexpr std::size_t kLongestPlaceholder = 1024;

bool stands_at(std::string_view text, std::size_t at, const Mark& mark) {
  return mark.text[mark.letter] == text[at] && at >= mark.letter &&
         text.substr(at - mark.letter).starts_with(mark.text);
}

}  // namespace

bool names_registry(std::string_view first) {
  return first == "localhost" || first.starts_with('[') || std::ranges::any_of(first, [](char c) {
           return c == '.' || c == ':' || (c >= 'A' && c <= 'Z');
         });
}

bool is_image_reference(std::string_view text) {
  if (const std::size_t at = text.find('@'); at != std::string_view::npos) {
    if (!is_digest(text.substr(at + 1))) return false;
    text = text.substr(0, at);
  }
  const std::size_t last_slash = text.rfind('/');
  const std::size_t colon = text.rfind(':');
  const bool tagged = colon != std::string_view::npos &&
                      (last_slash == std::string_view::npos || colon > last_slash);
  if (tagged) {
    if (!is_tag(text.substr(colon + 1))) return false;
    text = text.substr(0, colon);
  }
  if (text.empty() || text.size() > kLongestName) return false;
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
    const std::string_view first = text.substr(0, slash);
    if (names_registry(first)) {
      if (!is_host(first)) return false;
      text.remove_prefix(slash + 1);
    }
  }
  while (true) {
    const std::size_t slash = text.find('/');
    if (!is_path_component(text.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    text.remove_prefix(slash + 1);
  }
}

bool is_image_placeholder(std::string_view text) {
  if (text.starts_with("your-")) return true;
  text = text.substr(0, kLongestPlaceholder);
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!kOfMarks.has(text[at])) continue;
    if (std::ranges::any_of(kMarks, [&](const Mark& mark) { return stands_at(text, at, mark); })) {
      return true;
    }
  }
  return false;
}

}  // namespace dynamo::validators
