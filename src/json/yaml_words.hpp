// What is wrong with a text that is no YAML, for the people who wrote it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "json/document.hpp"

namespace dynamo::json {

// One line that says what was found and what to do, of a fault that yaml-cpp has reported with
// these words at this place. Lines count as in `where`, the text's first one is `lines_before` + 1.
// Linear in the text.
std::string yaml_mistake(std::string_view parsers_words, std::string_view text,
                         const Location& where, std::uint32_t lines_before);

}  // namespace dynamo::json
