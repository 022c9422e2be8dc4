// The spec of a desired object in the form that Go's types serialise. One form is only for the hash
// (sync.hpp), the other is applied.
#pragma once

#include <string>
#include <string_view>

#include "json/document.hpp"

namespace dynamo::render {

// The spec as the Go operator would hash it: with the zero values that Go's types write, quantities
// in canonical form, and without the values that those types omit, as far as they are known. Other
// kinds are unchanged. Recurses as deep as the value.
std::string go_form(std::string_view kind, json::Value spec);

// The spec without the zero values that those types omit, as an API server stores it: the seconds
// of a probe, hostPort, readOnly.
std::string without_zeros(std::string_view kind, json::Value spec);

// "1000m" is "1", "0.5" is "500m", "1024Mi" is "1Gi". A text that is not a quantity, or that has
// more than 18 digits, is unchanged.
std::string canonical_quantity(std::string_view text);

}  // namespace dynamo::render
