// Texts that were left for a person or a tool to fill in.
#pragma once

#include <string_view>

namespace dynamo::validators {

// The whole text is one of "<name>", "{{ name }}" and "${NAME}".
bool is_placeholder(std::string_view text);

}  // namespace dynamo::validators
