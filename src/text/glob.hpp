// Wildcard patterns, as in file names.
#pragma once

#include <string_view>

namespace dynamo::text {

// True when the pattern matches all of `text`: `*` matches any number of characters including none,
// `?` one byte, any other byte itself. Worst case O(pattern * text); allocates nothing.
bool matches_glob(std::string_view pattern, std::string_view text);

}  // namespace dynamo::text
