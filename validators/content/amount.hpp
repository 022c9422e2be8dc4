// The value of a Kubernetes quantity, for comparisons: "500m" is less than "1", "1Gi" more than
// "1G".
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

#include "json/document.hpp"

namespace dynamo::validators {

// Sign, whole part and billionths. As in Kubernetes, what is smaller than a billionth counts as
// one, and what is larger than 2^63-1 as that.
struct Amount {
  bool negative = false;
  std::uint64_t whole = 0;
  std::uint32_t billionths = 0;

  bool is_zero() const { return whole == 0 && billionths == 0; }
  bool is_whole() const { return billionths == 0; }
  bool below_zero() const { return negative && !is_zero(); }

  friend std::strong_ordering operator<=>(const Amount& left, const Amount& right);
  friend bool operator==(const Amount& left, const Amount& right) {
    return (left <=> right) == std::strong_ordering::equal;
  }
};

// Nothing for a text that is no quantity. Exact for the first 19 digits.
std::optional<Amount> parse_amount(std::string_view text);

// Of a text or an integer, as manifests have them; nothing for anything else.
std::optional<Amount> amount_of(json::Value value);

}  // namespace dynamo::validators
