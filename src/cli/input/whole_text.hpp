// Reads the manifests of a whole text in memory, on this thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "cli/input/manifests.hpp"

namespace dynamo::cli {

// The length of a leading byte order mark; places do not count it.
constexpr std::size_t length_of_mark(std::string_view text) {
  return text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
}

// Calls the visitor in text order. `name` is the input's name; ".json" at its end means JSON.
void read_whole_text(std::string_view text, std::string_view name, ManifestVisitor& visitor);

}  // namespace dynamo::cli
