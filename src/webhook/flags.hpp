// The command line of the server. Names, defaults, bounds and help stand in one table, in
// flag_table.cpp.
#pragma once

#include <span>
#include <variant>

#include "runtime/flags.hpp"
#include "webhook/options.hpp"

namespace dynamo::webhook {

// Any thread.
const runtime::FlagTable<Options>& flag_table();

// The options, or what to print instead of serving; see runtime::parse_flags().
std::variant<Options, runtime::EarlyExit> parse_flags(std::span<const char* const> arguments);

// What parse_flags({}) gives, but that nothing is checked.
Options default_options();

// What no single flag can say, see runtime::FlagTable::Check.
std::optional<std::string> check_together(Options& options, const runtime::GivenFlags& given);

}  // namespace dynamo::webhook
