// The text of a policy file, within its limit.
#pragma once

#include <iosfwd>
#include <string>
#include <variant>

#include "cli/input/inputs_read.hpp"

namespace dynamo::cli {

// Of a file, or of `standard_input` for "-". One byte above the limit at most, which shows the
// reader of policies that the text is too long.
std::variant<std::string, ReadFault> read_policy_text(const std::string& name,
                                                      std::istream& standard_input);

}  // namespace dynamo::cli
