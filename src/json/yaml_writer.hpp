// Writes a document as YAML that kubectl reads as the same document.
#pragma once

#include <string>
#include <string_view>

#include "json/document.hpp"

namespace dynamo::json {

// Appends the value in block style, like `kubectl get -o yaml`: two spaces per level, lists at the
// indent of their key, multi-line text as a block, quotes only if the text would otherwise be
// another value. Invisible characters are escaped in double quotes, so that a terminal may show the
// result. Members keep their order. Ends with a line feed. Precondition: the value exists. Bytes
// that are not UTF-8 become U+FFFD. The call stack does not grow with the depth.
void append_yaml(std::string& out, Value value);

// Appends a text as a YAML scalar on one line, quoted if necessary.
void append_yaml_text(std::string& out, std::string_view text);

}  // namespace dynamo::json
