// The blanks of YAML and of lists in flags.
#pragma once

#include <string_view>

namespace dynamo::text {

inline constexpr std::string_view kBlanks = " \t\r\n";

}  // namespace dynamo::text
