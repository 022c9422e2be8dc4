// Kubernetes quantities: "1", "0.5", "16Gi", "1e3", "200m".
#pragma once

#include <string>
#include <string_view>

#include "json/document.hpp"

namespace dynamo::schema {

// True for the syntax of resource.Quantity: a signed decimal number with an optional binary suffix
// (Ki … Ei), decimal suffix (n u m k M G T P E) or exponent (e3, E-2).
bool is_quantity(std::string_view text);

// The pattern that the CRDs put on quantities, in RE2's syntax.
inline constexpr std::string_view kQuantityPattern =
    R"(^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|)"
    R"(([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$)";

// What somebody meant who wrote a size as other programs read it: `"16Gi" or "16G"` for "16g" and
// "16GB", `"16Gi"` for "16 Gi" and "16GiB". Empty for a text that is a quantity, or none of these.
[[gnu::cold]] std::string meant_quantity(std::string_view text);

// Whether the text matches kQuantityPattern, which also lets exponents with a fraction through.
bool matches_quantity_pattern(std::string_view text);

// True for a quantity whose number is zero, whatever its sign, suffix or exponent.
// Precondition: is_quantity(text).
bool is_zero_quantity(std::string_view text);

// True for what counts as "no size" in a manifest: absent, null, "", or zero as text or number.
// Other types and texts that are no quantity are somebody else's complaint and answer false.
bool is_missing_quantity(json::Value value);

}  // namespace dynamo::schema
