// Scans over raw text, faster than a tokeniser: UTF-8 validation, the end of a value, and its size.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace dynamo::json {

// Offset of the first byte that is not part of well-formed UTF-8 (RFC 3629: no overlong forms, no
// surrogates, nothing above U+10FFFF), or nullopt.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);
// Also sets `is_plain`: whether the text has no byte above 0x7E. Unspecified for a text that is not
// UTF-8.
std::optional<std::size_t> find_invalid_utf8(std::string_view text, bool& is_plain);

// `text` begins with '[' or '{'. Returns the offset after the closing bracket, or nullopt if the
// text ends first. Ignores brackets in strings and validates nothing else: for values whose content
// is never read.
std::optional<std::size_t> find_end_of_container(std::string_view text);

// `text` begins with a quote. Returns the offset after the closing quote, or nullopt if the text
// ends first. Validates nothing: for strings that are never read.
std::optional<std::size_t> find_end_of_string(std::string_view text);

// The most memory in bytes that a copy of a JSON text and its document take while it is parsed.
// Both double while they grow. One pass over the text; its strings count as one node each.
std::size_t max_parse_memory(std::string_view text);

// The searches, byte by byte: the references that tests compare the fast versions with.
std::optional<std::size_t> find_end_of_container_bytewise(std::string_view text);
std::optional<std::size_t> find_end_of_string_bytewise(std::string_view text);

// The searches as processors without wide vectors run them, for tests on those that have them.
std::optional<std::size_t> find_end_of_container_baseline(std::string_view text);
std::optional<std::size_t> find_end_of_string_baseline(std::string_view text);

}  // namespace dynamo::json
