// What is wrong with a text that is no YAML, for the people who wrote it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "json/document.hpp"

namespace dynamo::json {

inline constexpr std::string_view kYamlDirective =
    "directives (lines that begin with %) are not supported; remove it";

struct YamlMistake {
  std::string reason;  // one line that says what was found and what to do
  Location where;      // of the fault; of a bracket that is not closed, where it opens; of a tab
};

struct YamlLines {
  std::uint32_t before = 0;    // in front of the text, in what is read
  std::uint32_t in_front = 0;  // in front of what is read
};

// Explains a fault that yaml-cpp has reported with these words at this place. Lines count as in
// `where`, the text's first one is `lines.before` + 1; the reason counts those in front, too.
// Linear in the text.
YamlMistake yaml_mistake(std::string_view parsers_words, std::string_view text,
                         const Location& where, const YamlLines& lines);

// Of a line in a map that has no colon behind its name: the same for what yaml-cpp lets pass.
YamlMistake yaml_without_colon(std::string_view text, const Location& where,
                               const YamlLines& lines);

// "this text is not closed: `"` of line 3", of what such a character opens.
std::string yaml_unclosed(char opening, std::uint32_t line);

}  // namespace dynamo::json
