#include "validators/content/semver.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace dynamo::validators {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_identifier_character(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

// Consumes up to three numbers separated by dots.
bool take_numbers(std::string_view& text) {
  for (int count = 0; count < 3; ++count) {
    if (count > 0) {
      if (text.empty() || text.front() != '.') return true;
      text.remove_prefix(1);
    }
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return true;
}

bool is_identifier(std::string_view part, bool leading_zero_allowed) {
  if (part.empty() || !std::ranges::all_of(part, is_identifier_character)) return false;
  const bool numeric = std::ranges::all_of(part, is_digit);
  return leading_zero_allowed || !numeric || part.size() == 1 || part.front() != '0';
}

// Whether the text consists of identifiers separated by dots.
bool are_identifiers(std::string_view text, bool leading_zero_allowed) {
  for (;;) {
    const std::size_t dot = text.find('.');
    if (!is_identifier(text.substr(0, dot), leading_zero_allowed)) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

}  // namespace

bool is_lenient_semver(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  if (!take_numbers(text)) return false;
  const std::size_t plus = text.find('+');
  if (plus != std::string_view::npos) {
    if (!are_identifiers(text.substr(plus + 1), true)) return false;
    text = text.substr(0, plus);
  }
  if (text.empty()) return true;
  return text.front() == '-' && are_identifiers(text.substr(1), false);
}

}  // namespace dynamo::validators
