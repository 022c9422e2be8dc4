#include "text/names.hpp"

#include <algorithm>
#include <string>

#include "text/characters.hpp"

namespace dynamo::text {
namespace {

constexpr std::size_t kLongestLabel = 63;
constexpr std::size_t kLongestSubdomain = 253;

constexpr bool is_lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

constexpr bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

constexpr bool is_alphanumeric(char c) {
  return is_lower_or_digit(c) || is_upper(c);
}

char to_lower(char c) {
  return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr Characters kOfLabels{[](char c) { return is_lower_or_digit(c) || c == '-'; }};
constexpr Characters kOfPlainNames{
    [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; }};

// A DNS label of any length.
bool is_domain_part(std::string_view text) {
  return !text.empty() && is_lower_or_digit(text.front()) && is_lower_or_digit(text.back()) &&
         kOfLabels.has_all(text);
}

// Parts separated by dots, without a length limit.
bool is_domain(std::string_view text) {
  while (true) {
    const std::size_t dot = text.find('.');
    if (!is_domain_part(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_plain_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestLabel && is_alphanumeric(text.front()) &&
         is_alphanumeric(text.back()) && kOfPlainNames.has_all(text);
}

}  // namespace

bool is_dns_label(std::string_view text) {
  return text.size() <= kLongestLabel && is_domain_part(text);
}

bool is_dns_subdomain(std::string_view text) {
  return text.size() <= kLongestSubdomain && is_domain(text);
}

bool is_dns_subdomain_prefix(std::string_view text) {
  if (text.size() > kLongestSubdomain) return false;
  if (text.empty() || text.back() != '-') return is_domain(text);
  std::string generated(text);
  generated += 'x';
  return is_domain(generated);
}

bool is_qualified_name(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return is_plain_name(text);
  return is_dns_subdomain(text.substr(0, slash)) && is_plain_name(text.substr(slash + 1));
}

bool is_annotation_key(std::string_view text) {
  if (is_qualified_name(text)) return true;
  if (std::ranges::none_of(text, is_upper)) return false;
  std::string lowered(text);
  std::ranges::transform(lowered, lowered.begin(), to_lower);
  return is_qualified_name(lowered);
}

bool is_label_value(std::string_view text) {
  return text.empty() || is_plain_name(text);
}

}  // namespace dynamo::text
