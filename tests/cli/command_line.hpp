// Runs kubectl-dynamo in process: arguments in, exit code and output back.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cli/options/options.hpp"

namespace dynamo::test {

std::variant<cli::Options, cli::UsageError> parse(const std::vector<std::string>& arguments);

// If the arguments are refused, fails the test and returns the defaults.
cli::Options parsed(const std::vector<std::string>& arguments);

// The error line without its line feed; fails the test if the arguments are accepted.
std::string refusal(const std::vector<std::string>& arguments);

}  // namespace dynamo::test
