// Numbers that people write as texts, in variables, flags and annotations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dynamo::validators {

// Nothing for a text that is not all digits, or has more than 18 of them.
constexpr std::optional<std::int64_t> parse_whole_number(std::string_view text) {
  constexpr std::size_t kMostDigits = 18;
  constexpr std::int64_t kBase = 10;
  if (text.empty() || text.size() > kMostDigits) return std::nullopt;
  std::int64_t number = 0;
  for (const char letter : text) {
    if (letter < '0' || letter > '9') return std::nullopt;
    number = number * kBase + (letter - '0');
  }
  return number;
}

}  // namespace dynamo::validators
