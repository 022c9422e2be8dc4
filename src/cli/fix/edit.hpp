// A change of a text by place: the bytes around it stay as they are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dynamo::cli {

struct Edit {
  std::size_t offset = 0;  // bytes in front of it
  std::size_t length = 0;  // bytes that go; 0: something is inserted
  std::string text;        // what comes instead

  bool operator==(const Edit&) const = default;
};

// True when both touch the same bytes, or insert at the same place.
bool overlap(const Edit& left, const Edit& right);

// The text after all of them, in any order. Precondition: no two overlap, none ends behind the
// text.
std::string apply_edits(std::string_view text, std::vector<Edit> edits);

}  // namespace dynamo::cli
