// The brackets and quotes of a text that is no YAML: which of them are open, and which close what
// they cannot.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace dynamo::json {

struct YamlMark {
  char character = '\0';
  std::size_t at = 0;  // the offset
};

struct YamlOpenings {
  std::vector<YamlMark> open;           // brackets, the outermost first
  std::optional<YamlMark> quote;        // of a text that does not end
  std::optional<YamlMark> wrong_close;  // closes nothing, or not the innermost of `open`
};

// Counts the brackets up to the offset `until`, where the parser stopped, and none behind a wrong
// one: what follows is guesswork. Brackets and quotes within plain text and within block scalars (|
// and >) mean nothing. Linear in the text.
YamlOpenings find_openings(std::string_view text, std::size_t until);

}  // namespace dynamo::json
