// A child's spec as the Go operator would have hashed it: with what its types write although nobody
// gave it. Only for the hash (sync.hpp); what is applied has none of it.
#pragma once

#include <string>
#include <string_view>

#include "json/document.hpp"

namespace dynamo::render {

// The spec of a child of that kind with the zero values of Go's types, quantities in their
// canonical form, and without what those types leave out, as far as any of it was told; other kinds
// as they are. Nests calls as deep as the value.
std::string go_form(std::string_view kind, json::Value spec);

// "1000m" is "1", "0.5" is "500m", "1024Mi" is "1Gi"; a text that is no quantity, or one of more
// digits than 18, as it is.
std::string canonical_quantity(std::string_view text);

}  // namespace dynamo::render
