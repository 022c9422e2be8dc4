// Kubernetes quantities in canonical form.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace dynamo::conversion {

// Space for any canonical quantity.
inline constexpr std::size_t kMaxQuantity = 48;

// Writes the canonical form into `out` and returns it: "1000m" is "1", "0.5" is "500m", "1024Mi" is
// "1Gi", zero is "0". Values finer than 1n round away from zero. Returns nullopt if the text is not
// a quantity. A text that is already canonical is returned as it is.
std::optional<std::string_view> canonical_quantity(std::string_view text,
                                                   char (&out)[kMaxQuantity]);

// Whether two quantities have the same value. Texts that are no quantities are equal if they are
// the same bytes.
bool are_equal_quantities(std::string_view one, std::string_view other);

// -1, 0 or 1; 0 for a text that is not a quantity.
int sign_of_quantity(std::string_view text);

}  // namespace dynamo::conversion
