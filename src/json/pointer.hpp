// JSON pointers (RFC 6901).
#pragma once

#include <string>
#include <string_view>

#include "json/document.hpp"

namespace dynamo::json {

// Appends "/" and the token with '~' written as ~0 and '/' as ~1.
void append_pointer_token(std::string& pointer, std::string_view token);

// The value that the pointer names in `root`; absent if it does not exist or the pointer is
// malformed. "" names the root itself.
Value at_pointer(Value root, std::string_view pointer);

// Removes the first token of a pointer that begins with '/', and returns it unescaped.
std::string take_pointer_token(std::string_view& pointer);

// The element index that a token names ("0", "17", no leading zeros), or nullopt.
std::optional<std::size_t> pointer_index(std::string_view token);

}  // namespace dynamo::json
