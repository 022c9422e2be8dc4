// A child's spec as the Go operator would have hashed it: with what its types write although nobody
// gave it, which is for the hash alone (sync.hpp), and as it is applied.
#pragma once

#include <string>
#include <string_view>

#include "json/document.hpp"

namespace dynamo::render {

// The spec of a child of that kind with the zero values of Go's types, quantities in their
// canonical form, and without what those types leave out, as far as any of it was told; other kinds
// as they are. Nests calls as deep as the value.
std::string go_form(std::string_view kind, json::Value spec);

// The spec without the zeros that those types leave out, as an API server keeps it: the seconds of
// a probe, hostPort, readOnly.
std::string without_zeros(std::string_view kind, json::Value spec);

// "1000m" is "1", "0.5" is "500m", "1024Mi" is "1Gi"; a text that is no quantity, or one of more
// digits than 18, as it is.
std::string canonical_quantity(std::string_view text);

}  // namespace dynamo::render
