// The API server's format and pattern checks for strings.
#pragma once

#include <cstddef>
#include <string_view>

#include "schema/table.hpp"

namespace dynamo::schema {

// Whether the API server accepts `text` for the format. It checks kByte and kDateTime; values with
// other formats are not text.
bool has_format(std::string_view text, Format format);

// Whether `text` is a time in strict RFC 3339, as in metadata; kDateTime is less strict.
bool is_timestamp(std::string_view text);

// Whether the pattern (RE2 syntax) matches somewhere in `text`. Patterns of the tables are compiled
// once, on the first call; any other is compiled each time. An invalid pattern never matches.
// Thread-safe.
bool matches(std::string_view text, std::string_view pattern);

// The number of Unicode code points in UTF-8 text.
std::size_t count_code_points(std::string_view text);

}  // namespace dynamo::schema
