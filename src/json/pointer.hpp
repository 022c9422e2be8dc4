// JSON pointers (RFC 6901).
#pragma once

#include <string>
#include <string_view>

#include "json/document.hpp"

namespace dynamo::json {

// Appends "/" and the token with '~' written as ~0 and '/' as ~1.
void append_pointer_token(std::string& pointer, std::string_view token);

// The value that the pointer names in `root`; absent when there is none or the pointer is
// malformed.
// "" names the root itself.
Value at_pointer(Value root, std::string_view pointer);

// Splits off the first token of a pointer that begins with '/', unescaped.
std::string take_pointer_token(std::string_view& pointer);

// The element index a token names ("0", "17", no leading zeros), or nothing.
std::optional<std::size_t> pointer_index(std::string_view token);

}  // namespace dynamo::json
