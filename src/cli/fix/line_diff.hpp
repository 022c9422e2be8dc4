// A unified diff of two texts, in the format of diff -u.
#pragma once

#include <string>
#include <string_view>

namespace dynamo::cli {

// With three lines of context; empty for equal texts. `name` is in the first two lines after "a/"
// and "b/", unless it is absolute, so that git apply accepts the diff. Time grows with the text and
// the square of the changes; above some thousand changed lines, everything between the first and
// the last of them counts as changed.
std::string unified_diff(std::string_view before, std::string_view after, std::string_view name);

}  // namespace dynamo::cli
