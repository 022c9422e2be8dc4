// Reads the manifests of a whole text in memory, on this thread.
#pragma once

#include <string_view>

#include "cli/input/manifests.hpp"

namespace dynamo::cli {

// What editors put in front of UTF-8. Places are told without it.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Calls the visitor in the order of the text. `name` is that of the input: one in ".json" says that
// it is JSON.
void read_whole_text(std::string_view text, std::string_view name, ManifestVisitor& visitor);

}  // namespace dynamo::cli
