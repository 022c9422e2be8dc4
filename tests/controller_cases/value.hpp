// Mutable JSON values, for the store of a case and its comparison.
#pragma once

#include <rapidjson/document.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.hpp"

namespace dynamo::cases {

using Value = rapidjson::Value;
using Object = rapidjson::Document;

// An independent copy; null for an absent value.
Object copy_of(json::Value value);
Object copy_of(const Value& value);
// Parses JSON text; throws std::runtime_error if it is invalid.
Object parsed(std::string_view text);
std::string text_of(const Value& value);

// The member, or null.
const Value& member(const Value& object, std::string_view name);
std::string_view text(const Value& value);

// RFC 7386.
void merge_patch(Value& target, const Value& patch, Object::AllocatorType& memory);

// Parses the documents of a YAML text. Throws std::runtime_error if it is invalid.
std::vector<Object> read_yaml(std::string_view text);

}  // namespace dynamo::cases
