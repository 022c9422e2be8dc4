// Kubernetes quantities: "1", "0.5", "16Gi", "1e3", "200m".
#pragma once

#include <string>
#include <string_view>

#include "json/document.hpp"

namespace dynamo::schema {

// True for the syntax of resource.Quantity: a signed decimal number with an optional binary suffix
// (Ki … Ei), decimal suffix (n u m k M G T P E) or exponent (e3, E-2).
bool is_quantity(std::string_view text);

// The pattern of quantities in the CRDs, in RE2 syntax.
inline constexpr std::string_view kQuantityPattern =
    R"(^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|)"
    R"(([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$)";

// Suggests a quantity for a size in another common notation: `"16Gi" or "16G"` for "16g" and
// "16GB", `"16Gi"` for "16 Gi" and "16GiB". Empty if the text is a quantity, or is none of these.
[[gnu::cold]] std::string suggested_quantity(std::string_view text);

// Whether the text matches kQuantityPattern, which also accepts exponents with a fraction.
bool matches_quantity_pattern(std::string_view text);

// True for a quantity that is zero, with any sign, suffix or exponent. Precondition:
// is_quantity(text).
bool is_zero_quantity(std::string_view text);

// True for values that mean "no size" in a manifest: absent, null, "", or zero as text or number.
// False for other types and for texts that are not quantities; other checks report those.
bool is_missing_quantity(json::Value value);

}  // namespace dynamo::schema
