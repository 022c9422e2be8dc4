// Locations in a text with columns in characters.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "json/document.hpp"

namespace dynamo::json {

// Converts locations whose columns count bytes to columns in characters. The text, which begins at
// line 1, must outlive it. Linear in the text at construction, then in the line.
class CharacterPlaces {
 public:
  CharacterPlaces() = default;
  explicit CharacterPlaces(std::string_view text);

  // Returns a location outside the text unchanged.
  Location of(Location bytes) const;

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;  // offsets of lines
};

// The name of a member as a value, for Document::location().
inline Value name_of(const Member& member) {
  return Value{member.value.node() - 1};  // a name is one node, just before its value
}

}  // namespace dynamo::json
