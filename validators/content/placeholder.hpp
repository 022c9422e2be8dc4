// Detects placeholder texts that the user must replace.
#pragma once

#include <string_view>

namespace dynamo::validators {

// Whether the whole text is "<name>", "{{ name }}" or "${NAME}".
bool is_placeholder(std::string_view text);

}  // namespace dynamo::validators
