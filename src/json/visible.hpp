// Makes JSON text safe to show on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace dynamo::json {

// Appends JSON text with a \u escape for each invisible character of its strings: bidirectional
// controls, control characters of Latin-1, and the others of text/printable.hpp. The value stays
// the same. Precondition: `json` is JSON, or a piece of it that ends with a token.
void append_visible(std::string& out, std::string_view json);

}  // namespace dynamo::json
