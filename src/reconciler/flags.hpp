// The command line of dynamo-reconciler.
#pragma once

#include <span>
#include <variant>

#include "reconciler/options.hpp"
#include "runtime/flags.hpp"

namespace dynamo::reconciler {

// Reads the arguments after the program's name: `--flag value` or `--flag=value`; a switch may
// stand alone. The first mistake ends it.
std::variant<Options, runtime::EarlyExit> parse_flags(std::span<const char* const> arguments);

}  // namespace dynamo::reconciler
