// Parses the command line of a program with its table of flags, and documents it.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <variant>

#include "runtime/flag_table.hpp"

namespace dynamo::runtime {

// Output and exit code of a program that must not continue: code 0 with text for standard output
// (for --help and --version), or code 2 with one line for standard error. The text ends with a
// newline.
struct EarlyExit {
  int code = 0;
  std::string text;
};

// "PROGRAM: WHAT" with code 2.
EarlyExit usage_error(const ProgramTexts& program, std::string_view what);

// The given flags with their texts, which are not validated. `page` must outlive the result.
std::variant<ParsedFlags, EarlyExit> read_flags(const FlagPage& page,
                                                std::span<const char* const> arguments);

// The error for a text that its flag does not accept.
EarlyExit unaccepted(const FlagPage& page, const ParsedFlag& given);

// Parses the arguments after the program's name: `--flag value` or `--flag=value`. The last of
// equal flags wins; `-h` is `--help`. Reads no environment and no file. Stops at the first error.
template <class Options>
std::variant<Options, EarlyExit> parse_flags(const FlagTable<Options>& table,
                                             std::span<const char* const> arguments) {
  auto read = read_flags(table.page(), arguments);
  if (auto* const exit = std::get_if<EarlyExit>(&read)) return std::move(*exit);
  const auto& given = std::get<ParsedFlags>(read);
  Options options = table.defaults();
  for (const ParsedFlag& flag : given.all()) {
    if (!table.set(flag.index, flag.text, options)) return unaccepted(table.page(), flag);
  }
  if (const auto mistake = table.check(options, given)) {
    return usage_error(table.page().program, *mistake);
  }
  return options;
}

// The text of --help, at most kHelpColumns wide.
std::string flags_help(const FlagPage& page);

// The documentation page, in Markdown.
std::string flags_markdown(const FlagPage& page);

}  // namespace dynamo::runtime
