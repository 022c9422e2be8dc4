// Brackets and quotes of a text that is not valid YAML: those left open, and those closed wrongly.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace dynamo::json {

struct YamlMark {
  char character = '\0';
  std::size_t at = 0;  // offset
};

struct YamlOpenings {
  std::vector<YamlMark> open;           // brackets, the outermost first
  std::optional<YamlMark> quote;        // of a string without an end
  std::optional<YamlMark> wrong_close;  // closes no bracket, or not the innermost of `open`
};

// Counts the brackets up to the offset `until`, where the parser stopped. Stops at the first wrong
// bracket, since later ones cannot be interpreted. Ignores brackets and quotes within plain text
// and within block scalars (| and >). Linear in the text.
YamlOpenings find_openings(std::string_view text, std::size_t until);

}  // namespace dynamo::json
