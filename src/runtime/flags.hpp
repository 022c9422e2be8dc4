// Reads the command line of a program by its table of flags, and explains it.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <variant>

#include "runtime/flag_table.hpp"

namespace dynamo::runtime {

// What the program must print and exit with instead of going on: code 0 with the text for standard
// output (--help, --version), code 2 with one line for standard error. The text ends with a
// newline.
struct EarlyExit {
  int code = 0;
  std::string text;
};

// "PROGRAM: WHAT" with code 2.
EarlyExit usage_error(const ProgramTexts& program, std::string_view what);

// Which flags are given, with which texts; those are not looked at. `page` must outlive it.
std::variant<GivenFlags, EarlyExit> read_flags(const FlagPage& page,
                                               std::span<const char* const> arguments);

// The mistake of a text that its flag does not accept.
EarlyExit unaccepted(const FlagPage& page, const GivenFlag& given);

// Reads the arguments after the program's name: `--flag value` or `--flag=value`, the last of equal
// flags wins; `-h` is `--help`. Reads nothing else: no environment, no file. The first mistake ends
// it.
template <class Options>
std::variant<Options, EarlyExit> parse_flags(const FlagTable<Options>& table,
                                             std::span<const char* const> arguments) {
  auto read = read_flags(table.page(), arguments);
  if (auto* const exit = std::get_if<EarlyExit>(&read)) return std::move(*exit);
  const auto& given = std::get<GivenFlags>(read);
  Options options = table.defaults();
  for (const GivenFlag& flag : given.all()) {
    if (!table.set(flag.index, flag.text, options)) return unaccepted(table.page(), flag);
  }
  if (const auto mistake = table.check(options, given)) {
    return usage_error(table.page().program, *mistake);
  }
  return options;
}

// The text of --help, at most kHelpColumns wide.
std::string flags_help(const FlagPage& page);

// The page of documentation, in Markdown.
std::string flags_markdown(const FlagPage& page);

}  // namespace dynamo::runtime
