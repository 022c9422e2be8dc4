// Phrases that several findings share.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "json/document.hpp"
#include "schema/table.hpp"

namespace dynamo::schema {

// Whether the schema is an int-or-string with the quantity pattern.
bool is_quantity_schema(const Schema& schema);

// "a string", "a list", "a quantity such as 16Gi".
std::string_view describe_type(const Schema& schema);

// "must be a string; found integer". Omits the value: it could be a secret.
[[gnu::cold]] std::string wrong_type(const Schema& schema, json::Value found);

// "; write it in quotes", or empty: for authors of YAML.
std::string_view type_advice(const Schema& schema, json::Value found);

// `text` in double quotes: cut to 64 bytes, control characters become spaces.
[[gnu::cold]] std::string quoted(std::string_view text);

// The words in double quotes, separated by commas.
[[gnu::cold]] std::string quoted_list(std::span<const std::string_view> words);

// "; did you mean "replicas"?", or empty for an empty suggestion.
[[gnu::cold]] std::string did_you_mean(std::string_view suggestion);

}  // namespace dynamo::schema
