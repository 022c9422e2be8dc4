// Lists of rule ids and globs, as options and configurations name them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace dynamo::cli {

// The first glob that matches no rule, as the end of a sentence.
std::optional<std::string> find_useless(std::span<const std::string> globs);

// Why a glob, or a comma-separated list of them, matches no rule: "must match …"; nullopt if each
// matches one.
std::optional<std::string> why_no_rule(std::string_view globs);

}  // namespace dynamo::cli
