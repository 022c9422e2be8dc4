// The command line of `dynamo-reconciler copy-profile`. One table in flag_table.cpp defines names,
// defaults, bounds and help.
#pragma once

#include <span>
#include <string_view>
#include <variant>

#include "reconciler/copy_profile/options.hpp"
#include "runtime/flags.hpp"

namespace dynamo::reconciler::copy_profile {

// The first argument that selects this command.
inline constexpr std::string_view kCommand = "copy-profile";

// Any thread.
const runtime::FlagTable<Options>& flag_table();

// Returns the options, or the text to print instead of running; see runtime::parse_flags().
// `arguments` come after the command.
std::variant<Options, runtime::EarlyExit> parse_flags(std::span<const char* const> arguments);

}  // namespace dynamo::reconciler::copy_profile
