// A unified diff of two texts, as diff -u writes it.
#pragma once

#include <string>
#include <string_view>

namespace dynamo::cli {

// With three lines of context; empty for equal texts. `name` stands in the first two lines behind
// "a/" and "b/", unless it is absolute, so that git apply takes it. Time grows with the text and
// the square of what changed; where more than some thousand lines did, everything between the first
// and the last of them counts as changed.
std::string unified_diff(std::string_view before, std::string_view after, std::string_view name);

}  // namespace dynamo::cli
