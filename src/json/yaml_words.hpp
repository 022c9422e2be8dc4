// What is wrong with a text that is no YAML, for the people who wrote it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "json/document.hpp"

namespace dynamo::json {

struct YamlMistake {
  std::string reason;  // one line that says what was found and what to do
  Location where;      // of the fault; of a bracket that is not closed, where it opens
};

// Explains a fault that yaml-cpp has reported with these words at this place. Lines count as in
// `where`, the text's first one is `lines_before` + 1. Linear in the text.
YamlMistake yaml_mistake(std::string_view parsers_words, std::string_view text,
                         const Location& where, std::uint32_t lines_before);

}  // namespace dynamo::json
