// Two scans that run over raw text faster than a tokeniser: is it UTF-8, and where does a value
// end.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace dynamo::json {

// Offset of the first byte that is not part of well-formed UTF-8 (RFC 3629: no overlong forms, no
// surrogates, nothing above U+10FFFF), or nothing.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);
// The same; `is_ascii` becomes whether the text has no byte above 0x7F. Unspecified for a text that
// is not UTF-8.
std::optional<std::size_t> find_invalid_utf8(std::string_view text, bool& is_ascii);

// `text` begins with '[' or '{'. Answers the offset one past the bracket that closes it, or nothing
// when the text ends before. Brackets in strings are not counted; what lies between is not
// validated further: for values whose content nobody reads.
std::optional<std::size_t> find_end_of_container(std::string_view text);

// The same byte by byte: the definition that the fast form is tested against.
std::optional<std::size_t> find_end_of_container_bytewise(std::string_view text);

}  // namespace dynamo::json
