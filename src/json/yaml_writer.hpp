// Writes a document as YAML that reads back as the same document, by kubectl's rules.
#pragma once

#include <string>
#include <string_view>

#include "json/document.hpp"

namespace dynamo::json {

// Appends the value in block style, as `kubectl get -o yaml` writes it: two spaces a level, lists
// at the indent of their key, text of several lines as a block, quotes only where a text would mean
// something else without them. Members keep their order. Ends with a line feed. Precondition: the
// value exists. Bytes that are not UTF-8 become U+FFFD. The call stack does not grow with the
// depth.
void append_yaml(std::string& out, Value value);

// Appends a text as a YAML scalar on one line, in quotes if need be.
void append_yaml_text(std::string& out, std::string_view text);

}  // namespace dynamo::json
