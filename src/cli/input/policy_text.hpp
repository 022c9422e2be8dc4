// Reads the text of a policy file, within its limit.
#pragma once

#include <iosfwd>
#include <string>
#include <variant>

#include "cli/input/inputs_read.hpp"

namespace dynamo::cli {

// From a file, or from `standard_input` for "-". Reads at most one byte more than the limit, so
// that the policy reader reports the text as too long.
std::variant<std::string, ReadFault> read_policy_text(const std::string& name,
                                                      std::istream& standard_input);

}  // namespace dynamo::cli
