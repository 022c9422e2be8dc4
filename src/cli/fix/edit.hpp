// A replacement of one range of a text: the other bytes stay unchanged.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dynamo::cli {

struct Edit {
  std::size_t offset = 0;  // bytes before it
  std::size_t length = 0;  // bytes to remove; 0: insert only
  std::string text;        // the replacement

  bool operator==(const Edit&) const = default;
};

// True when both touch the same bytes, or insert at the same place.
bool are_overlapping(const Edit& left, const Edit& right);

// The text after all edits, given in any order. Precondition: no two overlap, none ends past the
// end of the text.
std::string apply_edits(std::string_view text, std::vector<Edit> edits);

}  // namespace dynamo::cli
