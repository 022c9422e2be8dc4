#include "cli/fix/edit.hpp"

#include <algorithm>

namespace dynamo::cli {

bool are_overlapping(const Edit& left, const Edit& right) {
  if (left.offset == right.offset) return true;
  const Edit& first = left.offset < right.offset ? left : right;
  const Edit& second = left.offset < right.offset ? right : left;
  return first.offset + first.length > second.offset;
}

std::string apply_edits(std::string_view text, std::vector<Edit> edits) {
  std::ranges::sort(edits, {}, &Edit::offset);
  std::string out;
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    out += text.substr(at, edit.offset - at);
    out += edit.text;
    at = edit.offset + edit.length;
  }
  out += text.substr(at);
  return out;
}

}  // namespace dynamo::cli
