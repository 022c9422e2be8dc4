// The command line of the server. Names, defaults, bounds and help are in one table, in
// flag_table.cpp.
#pragma once

#include <span>
#include <variant>

#include "runtime/flags.hpp"
#include "webhook/options.hpp"

namespace dynamo::webhook {

// Any thread.
const runtime::FlagTable<Options>& flag_table();

// The options, or text to print before exiting; see runtime::parse_flags().
std::variant<Options, runtime::EarlyExit> parse_flags(std::span<const char* const> arguments);

// The result of parse_flags({}) without checks.
Options default_options();

// Checks that involve several flags, see runtime::FlagTable::Check.
std::optional<std::string> check_together(Options& options, const runtime::ParsedFlags& given);

}  // namespace dynamo::webhook
