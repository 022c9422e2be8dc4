// The tables of commands and options: one row says all there is to say about one of them. Parsing,
// --help, the man page, shell completion and the documentation all come from it.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "cli/options/options.hpp"

namespace dynamo::cli {

// What follows a command beside options.
enum class Arguments : unsigned char {
  kNone,
  kInputs,    // any number of inputs, as with -f
  kOne,       // exactly one, into Options::argument
  kVerbed,    // one of CommandRow::choices, then exactly one, into Options::argument
  kOptional,  // at most one, into Options::argument
  kWords,     // anything, into Options::words
};

// What a shell may offer for a value.
enum class Hint : unsigned char { kNothing, kFiles, kDirectories, kChoices, kRuleIds, kCommands };

struct Example {
  std::string_view comment;  // what it is for
  std::string_view line;     // as it is typed
};

struct CommandRow {
  Command command;
  std::string_view name;
  std::string_view summary;  // completes "kubectl dynamo NAME: …"; no full stop
  Arguments arguments;
  std::string_view argument_word;  // "RULE-ID"; empty for none
  Hint hint;
  std::span<const std::string_view> choices;
  std::string_view description;  // paragraphs, parted by newlines
  std::span<const Example> examples;
  bool hidden = false;
};

// Every command, in the order of --help.
std::span<const CommandRow> command_rows();

// The row of that name or of that command; the first answers null for an unknown name.
const CommandRow* find_command(std::string_view name);
const CommandRow& row_of(Command command);

// A set of commands, as bits.
class CommandSet {
 public:
  constexpr CommandSet(std::initializer_list<Command> commands) {
    for (const Command command : commands) bits_ |= bit(command);
  }
  constexpr bool has(Command command) const { return (bits_ & bit(command)) != 0; }

 private:
  static constexpr unsigned bit(Command command) { return 1U << static_cast<unsigned>(command); }
  unsigned bits_ = 0;
};

// The headings under which options stand.
enum class Group : unsigned char { kInputs, kChange, kMending, kCircumstances, kOutput, kRun };
std::string_view title(Group group);

struct OptionRow {
  Group group;
  CommandSet commands;
  char letter;                     // '\0': none
  std::string_view name;           // without the hyphens
  std::string_view also;           // another spelling that is understood and not shown; empty: none
  std::string_view value;          // the word for it, such as `FILE|DIR|-`; empty: a switch
  bool repeatable;                 // else the last one counts
  std::string_view default_value;  // as it would be typed; empty: not set
  Hint hint;
  std::span<const std::string_view> choices;
  std::string_view accepts;  // completes "--name must be …"; empty for a switch
  std::string_view help;     // sentences, without the default
  // Puts a value (of a switch: "") into the options. False, with nothing changed, when it is not
  // what `accepts` says.
  bool (*set)(Options&, std::string_view value);
};

// Every option of every command, in the order of --help. One name may have several rows, for
// different commands.
std::span<const OptionRow> option_rows();

// The row of that name, or other spelling, that belongs to the command; null for an unknown one.
const OptionRow* find_option(Command command, std::string_view name);
const OptionRow* find_option(Command command, char letter);

}  // namespace dynamo::cli
