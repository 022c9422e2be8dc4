// Words that several findings share.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "json/document.hpp"
#include "schema/table.hpp"

namespace dynamo::schema {

// Text with the pattern of quantities, or such a number.
bool is_quantity_schema(const Schema& schema);

// "a string", "a list", "a quantity such as 16Gi".
std::string_view describe_type(const Schema& schema);

// "must be a string; found integer". The value itself is not told: it could be a secret.
[[gnu::cold]] std::string wrong_type(const Schema& schema, json::Value found);

// "; write it in quotes", or nothing: for those who wrote the object, in YAML.
std::string_view type_advice(const Schema& schema, json::Value found);

// `text` in double quotes: cut to 64 bytes, control characters as spaces.
[[gnu::cold]] std::string quoted(std::string_view text);

// The words in double quotes, with commas in between.
[[gnu::cold]] std::string quoted_list(std::span<const std::string_view> words);

// "; did you mean "replicas"?", or nothing for an empty suggestion.
[[gnu::cold]] std::string did_you_mean(std::string_view suggestion);

}  // namespace dynamo::schema
