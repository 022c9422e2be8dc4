// Texts about commands and options that --help, the man page and the documentation share.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/options/options_table.hpp"

namespace dynamo::cli {

struct ExitCodeRow {
  std::string_view code;
  std::string_view meaning;
};
std::span<const ExitCodeRow> exit_code_rows();

// The formats of `validate -o`.
struct FormatRow {
  std::string_view name;
  std::string_view meaning;
};
std::span<const FormatRow> format_rows();

// "-f, --filename FILE|DIR|-"
std::string option_head(const OptionRow& row);

// "kubectl dynamo validate [OPTION]... [-f] FILE|DIR|-..."
std::string usage_line(const CommandRow& command);

}  // namespace dynamo::cli
