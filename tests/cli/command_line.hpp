// Runs kubectl-dynamo in process: arguments in, exit code and texts out.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cli/options/options.hpp"

namespace dynamo::test {

std::variant<cli::Options, cli::UsageError> parse(const std::vector<std::string>& arguments);

// Fails the test and gives the defaults when the arguments are refused.
cli::Options parsed(const std::vector<std::string>& arguments);

// The line about the mistake, without its end; fails the test when the arguments are accepted.
std::string refusal(const std::vector<std::string>& arguments);

}  // namespace dynamo::test
