// Explains to users why a text is not valid YAML.
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
  Location where;      // of the fault; for an unclosed bracket, where it opens; or of a tab
};

struct YamlLines {
  std::uint32_t before = 0;    // before the text, within the input
  std::uint32_t in_front = 0;  // before the input
};

// Explains a fault that yaml-cpp reported with this message at this location. Lines count as in
// `where`: the text's first line is `lines.before` + 1. The reason also counts the lines in
// `in_front`. Linear in the text.
YamlMistake yaml_mistake(std::string_view parser_message, std::string_view text,
                         const Location& where, const YamlLines& lines);

// Explains a line in a map that has no colon after its name, which yaml-cpp accepts.
YamlMistake yaml_without_colon(std::string_view text, const Location& where,
                               const YamlLines& lines);

// "this text is not closed: `"` of line 3", for an opening character.
std::string yaml_unclosed(char opening, std::uint32_t line);

}  // namespace dynamo::json
