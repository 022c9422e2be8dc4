// Parses the words of a command line against a table of flags.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/flag_table.hpp"

namespace dynamo::runtime {

// A word that cannot be parsed.
struct ArgumentMistake {
  enum class Kind : std::uint8_t {
    kUnknownFlag,  // it looks like a flag, but none has this name or letter
    kNoFlag,       // every word must belong to a flag, and this one does not
    kNoValue,      // the flag needs a value
  };
  Kind kind;
  std::string_view word;           // as on the command line
  const FlagText* flag = nullptr;  // the flag without a value
};

// How a program treats words that belong to no flag.
enum class PositionalArguments : std::uint8_t { kReject, kAccept };

struct Arguments {
  // In the order of the page: all occurrences of a repeatable flag, otherwise the last one.
  std::vector<ParsedFlag> flags;
  std::vector<std::string> positionals;    // words of no flag, and all words after "--"
  std::optional<ArgumentMistake> mistake;  // the first
  // The first flag of the page that ends the program; it takes precedence over every mistake.
  const FlagText* ends_program = nullptr;
};

// Parses `--name VALUE`, `--name=VALUE`, and for flags with a letter `-n VALUE`, `-nVALUE`,
// `-n=VALUE`, including combined switches. A switch without a value has the text "true". A word
// that looks like a flag is not used as a value, unless it is attached with `=`; "-" and "-5s" do
// not look like flags. Values are not validated. `page` and the words must outlive the result.
Arguments read_arguments(const FlagPage& page, std::span<const char* const> words,
                         PositionalArguments positional);

// The flag with that name or alternative spelling, or that letter; null if there is none.
const FlagText* find_flag(const FlagPage& page, std::string_view name);
const FlagText* find_flag(const FlagPage& page, char letter);

// The error message for a value: "--name must be …; found no value".
std::string no_value(const FlagText& flag);
std::string bad_value(const FlagText& flag, std::string_view text);

}  // namespace dynamo::runtime
