// Patterns with wildcards, as file names have them.
#pragma once

#include <string_view>

namespace dynamo::text {

// True when the whole of `text` matches: `*` stands for any characters, none included, `?` for one
// byte, everything else for itself. Linear in their product at worst; allocates nothing.
bool matches_glob(std::string_view pattern, std::string_view text);

}  // namespace dynamo::text
