// Reads the manifests of a whole text in memory, on this thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "cli/input/manifests.hpp"

namespace dynamo::cli {

// Of the byte order mark in front of it; places are told without it.
constexpr std::size_t length_of_mark(std::string_view text) {
  return text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
}

// Calls the visitor in the order of the text. `name` is that of the input: one in ".json" says that
// it is JSON.
void read_whole_text(std::string_view text, std::string_view name, ManifestVisitor& visitor);

}  // namespace dynamo::cli
