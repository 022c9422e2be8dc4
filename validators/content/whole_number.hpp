// Numbers that users write as texts in variables, flags and annotations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dynamo::validators {

// nullopt unless the text consists of 1 to 18 digits.
constexpr std::optional<std::int64_t> parse_whole_number(std::string_view text) {
  constexpr std::size_t kMaxDigits = 18;
  constexpr std::int64_t kBase = 10;
  if (text.empty() || text.size() > kMaxDigits) return std::nullopt;
  std::int64_t number = 0;
  for (const char letter : text) {
    if (letter < '0' || letter > '9') return std::nullopt;
    number = number * kBase + (letter - '0');
  }
  return number;
}

}  // namespace dynamo::validators
