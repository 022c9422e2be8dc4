// Converts small objects in tests.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "conversion/convert.hpp"

namespace dynamo::test {

// The object (YAML or JSON) in the other version, as JSON with sorted names and parsed payloads, or
// "error: REASON".
std::string converted(std::string_view object);
// Converts to the other version and back.
std::string converted_there_and_back(std::string_view object);

// The value as JSON with sorted names, with payload annotations as parsed JSON.
std::string sorted_text(json::Value value);
// The same for YAML or JSON text.
std::string sorted_text(std::string_view text);

// The object as the operator's encoder of its version writes it, with sorted names; "" if a field
// has the wrong type.
std::string normalised(json::Value object);

// A v1alpha1 object of each kind, in which each type of value occurs, and values that v1beta1 keeps
// in payload annotations.
std::span<const std::string_view> typical_objects();

// The value as JSON with null in the place of the value that `place` others precede; unchanged from
// value.node()->span on.
std::string with_null_at(json::Value value, std::size_t place);

// "" for a field that is absent; otherwise its JSON. `path` is a JSON pointer.
std::string field(std::string_view object, std::string_view path);

}  // namespace dynamo::test
