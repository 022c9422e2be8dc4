// Places in a text as people count them.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "json/document.hpp"

namespace dynamo::json {

// Turns places whose columns count bytes into such that count characters. The text, whose first
// line is line 1, must outlive it. Linear in the text once, then in the line.
class CharacterPlaces {
 public:
  CharacterPlaces() = default;
  explicit CharacterPlaces(std::string_view text);

  // A place outside of the text is answered as it is.
  Location of(Location bytes) const;

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;  // offsets of lines
};

// The name of a member, which Document::location() knows a place of.
inline Value name_of(const Member& member) {
  return Value{member.value.node() - 1};  // a name is one node, and in front of its value
}

}  // namespace dynamo::json
