// What the words of a command line say, by the flags that there are.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/flag_table.hpp"

namespace dynamo::runtime {

// A word that cannot be read.
struct ArgumentMistake {
  enum class Kind : std::uint8_t {
    kUnknownFlag,  // it looks like a flag, and none has this name or letter
    kNoFlag,       // every word must belong to a flag, and this one does not
    kNoValue,      // of a flag that takes one
  };
  Kind kind;
  std::string_view word;           // as it stands on the command line
  const FlagText* flag = nullptr;  // that has no value
};

// What a program does with words that belong to no flag.
enum class OtherWords : std::uint8_t { kRefuse, kTake };

struct Arguments {
  // In the order of the page; each of a flag that repeats, of any other one the last.
  std::vector<GivenFlag> flags;
  std::vector<std::string> others;         // words of no flag, and all behind "--"
  std::optional<ArgumentMistake> mistake;  // the first
  // The first of the page that ends the program: it wins over every mistake.
  const FlagText* ends_program = nullptr;
};

// Reads `--name VALUE`, `--name=VALUE`, and of flags with a letter `-n VALUE`, `-nVALUE`,
// `-n=VALUE`, switches among them in a row. A switch without a value has the text "true". What
// looks like a flag is no value of another one, unless `=` attaches it; "-" and "-5s" do not look
// so. Looks at no value. `page` and the words must outlive what is answered.
Arguments read_arguments(const FlagPage& page, std::span<const char* const> words,
                         OtherWords others);

// The flag of that name or other spelling, or of that letter; null when there is none.
const FlagText* find_flag(const FlagPage& page, std::string_view name);
const FlagText* find_flag(const FlagPage& page, char letter);

// What a mistake about a value says: "--name must be …; found no value".
std::string no_value(const FlagText& flag);
std::string bad_value(const FlagText& flag, std::string_view text);

}  // namespace dynamo::runtime
