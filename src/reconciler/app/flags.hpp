// The command line of dynamo-reconciler. One table in flag_table.cpp defines names, defaults,
// bounds and help.
#pragma once

#include <span>
#include <variant>

#include "reconciler/app/options.hpp"
#include "runtime/flags.hpp"

namespace dynamo::reconciler {

// Any thread.
const runtime::FlagTable<Options>& flag_table();

// Returns the options, or the text to print instead of running; see runtime::parse_flags().
std::variant<Options, runtime::EarlyExit> parse_flags(std::span<const char* const> arguments);

}  // namespace dynamo::reconciler
