#include "schema/formats.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "schema/quantity.hpp"

namespace dynamo::schema {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The number in the digits [at, at + length) of `text`; nullopt if a character is not a digit or
// the text is too short.
std::optional<unsigned> digits(std::string_view text, std::size_t at, std::size_t length) {
  if (text.size() < at + length) return std::nullopt;
  unsigned number = 0;
  for (const char c : text.substr(at, length)) {
    if (!is_digit(c)) return std::nullopt;
    number = number * 10 + static_cast<unsigned>(c - '0');
  }
  return number;
}

bool has_at(std::string_view text, std::size_t at, char wanted) {
  return at < text.size() && text[at] == wanted;
}

// "2025-01-31", an existing day.
bool is_date(std::string_view text) {
  const auto year = digits(text, 0, 4);
  const auto month = digits(text, 5, 2);
  const auto day = digits(text, 8, 2);
  if (text.size() != 10 || !has_at(text, 4, '-') || !has_at(text, 7, '-')) return false;
  if (!year || !month || !day || *month < 1 || *month > 12 || *day < 1) return false;
  const bool leap = (*year % 4 == 0 && *year % 100 != 0) || *year % 400 == 0;
  constexpr unsigned kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return *day <= kDays[*month - 1] + (*month == 2 && leap ? 1U : 0U);
}

// Removes "12:34:56" from the front of `text`.
bool take_time_of_day(std::string_view& text) {
  const auto hour = digits(text, 0, 2);
  const auto minute = digits(text, 3, 2);
  const auto second = digits(text, 6, 2);
  if (!has_at(text, 2, ':') || !has_at(text, 5, ':')) return false;
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 59) return false;
  text.remove_prefix(8);
  return true;
}

// `text` after a separator and its digits, if there are any.
std::string_view behind_fraction(std::string_view text) {
  if (text.size() < 2 || !is_digit(text[1])) return text;
  const auto end = std::find_if_not(text.begin() + 1, text.end(), is_digit);
  return text.substr(static_cast<std::size_t>(end - text.begin()));
}

// "+01:00".
bool is_zone_offset(std::string_view text) {
  return text.size() == 6 && (text[0] == '+' || text[0] == '-') && digits(text, 1, 2) &&
         text[3] == ':' && digits(text, 4, 2);
}

bool is_lax_zone(std::string_view text) {
  return text == "Z" || text == "z" || is_zone_offset(text);
}

// Follows the API server: any character may begin the fraction, "t" and "z" may be lower case, and
// a second "t" ends the text.
bool is_date_time(std::string_view text) {
  const std::size_t separator = text.find_first_of("tT");
  if (separator == std::string_view::npos || !is_date(text.substr(0, separator))) return false;
  std::string_view rest = text.substr(separator + 1);
  rest = rest.substr(0, rest.find_first_of("tT"));
  return take_time_of_day(rest) && (is_lax_zone(rest) || is_lax_zone(behind_fraction(rest)));
}

bool is_base64(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0) return false;
  for (int padding = 0; padding < 2 && text.back() == '='; ++padding) text.remove_suffix(1);
  return std::ranges::all_of(text, [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '/';
  });
}

// Compiled patterns by their text. Immutable after construction.
class Patterns {
 public:
  Patterns() {
    for (const Resource& resource : resources()) collect(*resource.schema);
    std::ranges::sort(patterns_, {}, &Pattern::text);
  }

  const re2::RE2* find(std::string_view text) const {
    const auto at = std::ranges::lower_bound(patterns_, text, {}, &Pattern::text);
    return at != patterns_.end() && at->text == text ? at->compiled.get() : nullptr;
  }

 private:
  struct Pattern {
    std::string_view text;
    std::unique_ptr<re2::RE2> compiled;
  };

  void collect(const Schema& schema) {
    if (schema.limits != nullptr) add(schema.limits->pattern);
    for (const Property& property : schema.properties) collect(*property.schema);
    if (schema.each != nullptr) collect(*schema.each);
  }

  void add(std::string_view text) {
    if (text.empty() || text == kQuantityPattern) return;
    if (std::ranges::any_of(patterns_, [&](const Pattern& known) { return known.text == text; })) {
      return;
    }
    patterns_.push_back({text, std::make_unique<re2::RE2>(text, re2::RE2::Quiet)});
  }

  std::vector<Pattern> patterns_;
};

}  // namespace

bool has_format(std::string_view text, Format format) {
  switch (format) {
    case Format::kByte:
      return is_base64(text);
    case Format::kDateTime:
      return is_date_time(text);
    case Format::kNone:
    case Format::kInt32:
    case Format::kInt64:
      return true;
  }
  return true;
}

bool is_timestamp(std::string_view text) {
  constexpr std::size_t kDate = 10;
  if (!is_date(text.substr(0, kDate)) || !has_at(text, kDate, 'T')) return false;
  std::string_view rest = text.substr(kDate + 1);
  if (!take_time_of_day(rest)) return false;
  if (has_at(rest, 0, '.') || has_at(rest, 0, ',')) {
    const std::string_view zone = behind_fraction(rest);
    if (zone.size() == rest.size()) return false;
    rest = zone;
  }
  return rest == "Z" ||
         (is_zone_offset(rest) && *digits(rest, 1, 2) <= 24 && *digits(rest, 4, 2) <= 60);
}

bool matches(std::string_view text, std::string_view pattern) {
  if (pattern == kQuantityPattern) return matches_quantity_pattern(text);
  static const Patterns patterns;
  if (const re2::RE2* const known = patterns.find(pattern)) {
    return re2::RE2::PartialMatch(text, *known);
  }
  return re2::RE2::PartialMatch(text, re2::RE2(pattern, re2::RE2::Quiet));
}

std::size_t count_code_points(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace dynamo::schema
