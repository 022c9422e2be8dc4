// The tables of commands and options: one row defines one of them completely. Parsing, --help, the
// man page, shell completion and the documentation are generated from the rows.
// runtime/flag_table.hpp is the engine that defines options and parses command lines.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "cli/options/options.hpp"
#include "runtime/flag_table.hpp"

namespace dynamo::cli {

// Positional arguments of a command.
enum class CommandArguments : unsigned char {
  kNone,
  kInputs,    // any number of inputs, as with -f
  kOne,       // exactly one, into Options::argument
  kVerbed,    // one of CommandRow::choices, then exactly one, into Options::argument
  kOptional,  // at most one, into Options::argument
  kWords,     // anything, into Options::words
};

// Completions that a shell offers for a value.
enum class Hint : unsigned char { kNothing, kFiles, kDirectories, kChoices, kRuleIds, kCommands };

using Example = runtime::UsageExample;

struct CommandRow {
  Command command;
  std::string_view name;
  std::string_view summary;  // completes "kubectl dynamo NAME: …"; no full stop
  CommandArguments arguments;
  std::string_view argument_word;  // "RULE-ID"; empty for none
  Hint hint;
  std::span<const std::string_view> choices;
  std::string_view description;  // paragraphs, separated by line feeds
  std::span<const Example> examples;
  bool hidden = false;
};

// Every command, in --help order.
std::span<const CommandRow> command_rows();

// The row for a name or a command; the first returns null for an unknown name.
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

struct OptionRow {
  CommandSet commands;
  runtime::Flag<Options> flag;
  Hint hint = Hint::kNothing;   // in addition to the words of the form
  std::string_view group = {};  // the heading of its group

  const runtime::FormTexts& form() const { return flag.value.form; }
  bool is_switch() const { return form().word.empty(); }
};

// Every option of every command, in --help order. A name may have several rows, for different
// commands.
std::span<const OptionRow> option_rows();

// The rows of one command, for the engine.
runtime::FlagTable<Options> option_table(Command command);

// The row of the command for that name or alias; null for an unknown one.
const OptionRow* find_option(Command command, std::string_view name);
const OptionRow* find_option(Command command, char letter);

}  // namespace dynamo::cli
