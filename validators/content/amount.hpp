// The value of a Kubernetes quantity, for comparisons: "500m" is less than "1", "1Gi" more than
// "1G".
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

#include "json/document.hpp"

namespace dynamo::validators {

// Sign, whole part and billionths. As in Kubernetes, a smaller fraction is rounded up to one
// billionth, and larger values are capped at 2^63-1.
struct Amount {
  bool negative = false;
  std::uint64_t whole = 0;
  std::uint32_t billionths = 0;

  bool is_zero() const { return whole == 0 && billionths == 0; }
  bool is_whole() const { return billionths == 0; }
  bool is_below_zero() const { return negative && !is_zero(); }

  friend std::strong_ordering operator<=>(const Amount& left, const Amount& right);
  friend bool operator==(const Amount& left, const Amount& right) {
    return (left <=> right) == std::strong_ordering::equal;
  }
};

// nullopt if the text is not a quantity. Exact for the first 19 digits.
std::optional<Amount> parse_amount(std::string_view text);

// The amount of a text or an integer, the forms in manifests; nullopt for other values.
std::optional<Amount> amount_of(json::Value value);

}  // namespace dynamo::validators
