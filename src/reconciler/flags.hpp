// The command line of dynamo-reconciler. Names, defaults, bounds and help stand in one table, in
// flag_table.cpp.
#pragma once

#include <span>
#include <variant>

#include "reconciler/options.hpp"
#include "runtime/flags.hpp"

namespace dynamo::reconciler {

// Any thread.
const runtime::FlagTable<Options>& flag_table();

// The options, or what to print instead of running; see runtime::parse_flags().
std::variant<Options, runtime::EarlyExit> parse_flags(std::span<const char* const> arguments);

}  // namespace dynamo::reconciler
