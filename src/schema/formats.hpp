// What the API server checks of texts that have a format or a pattern.
#pragma once

#include <cstddef>
#include <string_view>

#include "schema/table.hpp"

namespace dynamo::schema {

// Whether the API server takes `text` for the format. It knows kByte and kDateTime; what has
// another format is not text.
bool has_format(std::string_view text, Format format);

// Whether `text` is a time in the strict form of RFC 3339, as metadata has it; kDateTime is laxer.
bool is_timestamp(std::string_view text);

// Whether the pattern (RE2 syntax) matches somewhere in `text`. Patterns of the tables are compiled
// once, on the first call; another one is compiled each time. One that is no pattern matches
// nothing. Thread-safe.
bool matches(std::string_view text, std::string_view pattern);

// Unicode code points in UTF-8.
std::size_t count_code_points(std::string_view text);

}  // namespace dynamo::schema
