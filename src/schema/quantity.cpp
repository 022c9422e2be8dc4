#include "schema/quantity.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <system_error>

namespace dynamo::schema {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Length of a number at the start of `text`: "12", "12.", "12.5", ".5"; 0 if there is none.
std::size_t number_length(std::string_view text) {
  std::size_t at = 0;
  std::size_t digits = 0;
  bool point = false;
  while (at < text.size() && (is_digit(text[at]) || (text[at] == '.' && !point))) {
    if (text[at] == '.') {
      point = true;
    } else {
      ++digits;
    }
    ++at;
  }
  return digits == 0 ? 0 : at;
}

std::string_view without_sign(std::string_view text) {
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  return text;
}

// The exponent's text after its sign; empty if `text` is not an exponent.
std::string_view exponent_of(std::string_view text) {
  if (text.empty() || (text.front() != 'e' && text.front() != 'E')) return {};
  return without_sign(text.substr(1));
}

// Removes a number and a suffix other than an exponent from the front of `text`. The rest is empty
// or an exponent; nullopt if there is no number.
std::optional<std::string_view> behind_number(std::string_view text) {
  constexpr std::array<std::string_view, 16> kSuffixes{
      "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  text = without_sign(text);
  const std::size_t number = number_length(text);
  if (number == 0) return std::nullopt;
  const std::string_view suffix = text.substr(number);
  if (std::ranges::find(kSuffixes, suffix) != kSuffixes.end()) return std::string_view{};
  return suffix;
}

// Kubernetes reads exponents as 64 bits.
bool fits(std::string_view exponent) {
  std::int64_t read = 0;
  const auto [end, error] =
      std::from_chars(exponent.data(), exponent.data() + exponent.size(), read);
  return error == std::errc{};
}

}  // namespace

bool is_quantity(std::string_view text) {
  const auto rest = behind_number(text);
  if (!rest || rest->empty()) return rest.has_value();
  const std::string_view exponent = exponent_of(*rest);
  return !exponent.empty() && std::ranges::all_of(exponent, is_digit) && fits(exponent);
}

bool matches_quantity_pattern(std::string_view text) {
  const auto rest = behind_number(text);
  if (!rest || rest->empty()) return rest.has_value();
  const std::string_view exponent = exponent_of(*rest);
  return !exponent.empty() && number_length(exponent) == exponent.size();
}

std::string suggested_quantity(std::string_view text) {
  constexpr std::size_t kLongest = 32;
  constexpr std::string_view kBlanks = " \t\n\r";
  constexpr std::string_view kPrefixes = "kmgtpe";
  if (text.size() > kLongest || is_quantity(text)) return {};
  // In lower case, without blanks, and with a point instead of a comma.
  std::string plain;
  for (const char c : text) {
    if (kBlanks.find(c) != std::string_view::npos) continue;
    if (c == ',') {
      plain += '.';
    } else {
      plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  const std::size_t length = number_length(plain);
  if (length == 0) return {};
  const std::string number = plain.substr(0, length);
  std::string_view unit = std::string_view(plain).substr(length);
  for (const std::string_view bytes : {"bytes", "byte", "b"}) {
    if (!unit.ends_with(bytes)) continue;
    unit.remove_suffix(bytes.size());
    break;
  }
  const auto quoted_with = [&](std::string_view suffix) {
    return '"' + number + std::string(suffix) + '"';
  };
  if (unit.empty()) return quoted_with("");
  if (kPrefixes.find(unit.front()) == std::string_view::npos) return {};
  const char upper = static_cast<char>(unit.front() - 'a' + 'A');
  const std::string binary = quoted_with(std::string{upper, 'i'});
  if (unit.substr(1) == "i") return binary;
  if (unit.size() > 1) return {};
  // "500 m": milli, as written.
  const bool is_milli =
      unit == "m" && text.find('m') != std::string_view::npos && plain.size() == length + 1;
  if (is_milli) return quoted_with("m");
  return binary + " or " + quoted_with(unit == "k" ? "k" : std::string_view(&upper, 1));
}

bool is_zero_quantity(std::string_view text) {
  text = without_sign(text);
  return std::ranges::all_of(text.substr(0, number_length(text)),
                             [](char c) { return c == '0' || c == '.'; });
}

bool is_missing_quantity(json::Value value) {
  if (value.is_nothing()) return true;
  if (const auto text = value.string()) {
    return text->empty() || (is_quantity(*text) && is_zero_quantity(*text));
  }
  return value.number() == 0.0;
}

}  // namespace dynamo::schema
