#include "cli/options/options.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <utility>

#include "cli/options/options_table.hpp"
#include "runtime/usage_text.hpp"
#include "schema/suggest.hpp"

namespace dynamo::cli {
namespace {

using runtime::in_quotes;
using runtime::with_hyphens;

// A row together with what the command line said about it.
struct DescribedOption {
  const OptionRow* row;
  CLI::Option* option;
};

UsageError mistake(std::string_view what) {
  return {std::string(kProgramName).append(": ").append(what).append("\n")};
}

// "; kubectl dynamo validate --help lists its options"
std::string see_help(const CommandRow& command) {
  return "; `" + std::string(kInvocation) + " " + std::string(command.name) +
         " --help` lists its options";
}

UsageError unknown_command(std::string_view typed) {
  std::vector<std::string_view> names;
  for (const CommandRow& row : command_rows()) {
    if (!row.hidden) names.push_back(row.name);
  }
  std::string line = "unknown command " + in_quotes(typed);
  if (const std::string_view meant = schema::nearest_word(names, typed); !meant.empty()) {
    line += "; did you mean " + std::string(meant) + "?";
  } else if (typed.starts_with('-')) {
    line = "the command must stand before its options; found " + in_quotes(typed);
  } else if (typed.find_first_of("./") != std::string_view::npos) {
    line += "; to check a file: `" + std::string(kInvocation) + " validate -f FILE`";
  }
  return mistake(line + "; `" + std::string(kInvocation) + " --help` lists the commands");
}

UsageError unknown_option(const CommandRow& command, std::string_view argument) {
  const std::string_view typed = argument.substr(0, argument.find('='));
  std::string line = "unknown option " + in_quotes(typed) + " of " + std::string(command.name);
  if (typed.starts_with("--")) {
    std::vector<std::string_view> names;
    for (const OptionRow& row : option_rows()) {
      if (row.commands.has(command.command)) names.push_back(row.name);
    }
    if (const auto meant = schema::nearest_word(names, typed.substr(2)); !meant.empty()) {
      line += "; did you mean " + with_hyphens(meant) + "?";
    }
  }
  return mistake(line + see_help(command));
}

UsageError bad_value(const OptionRow& row, std::string_view text) {
  return mistake(with_hyphens(row.name) + " must be " + std::string(row.accepts) + "; found " +
                 in_quotes(text));
}

UsageError no_value(const OptionRow& row) {
  return mistake(with_hyphens(row.name) + " must be " + std::string(row.accepts) +
                 "; found no value");
}

bool is_switch(const OptionRow& row) {
  return row.value.empty();
}

// The arguments of a command as CLI11 takes them, and the first mistake that CLI11 would not see or
// would word less well: it takes the next argument for a missing value, even if that is an option.
struct Checked {
  std::vector<std::string> arguments;
  std::optional<UsageError> mistake;
  bool help = false;
};

class Checker {
 public:
  explicit Checker(const CommandRow& command) : command_(command) {}

  Checked check(std::span<const char* const> arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const std::string_view argument = arguments[i];
      if (argument == "--") {
        checked_.arguments.insert(checked_.arguments.end(), arguments.begin() + std::ptrdiff_t(i),
                                  arguments.end());
        break;
      }
      const bool next_is_value =
          i + 1 < arguments.size() &&
          (!std::string_view(arguments[i + 1]).starts_with('-') || is_dash(arguments[i + 1]));
      const OptionRow* waiting = nullptr;
      if (argument.starts_with("--")) {
        waiting = take_long(argument);
      } else if (argument.starts_with('-') && argument != "-") {
        waiting = take_letters(argument);
      } else {
        checked_.arguments.emplace_back(argument);
      }
      if (waiting == nullptr) continue;
      if (!next_is_value) {
        note(no_value(*waiting));
        continue;
      }
      if (*arguments[i + 1] == '\0') {
        note(bad_value(*waiting, ""));
        ++i;
        continue;
      }
      // One argument of CLI11's, so that it cannot take it for something else.
      checked_.arguments.back() += std::string("=").append(arguments[++i]);
    }
    return std::move(checked_);
  }

 private:
  static bool is_dash(std::string_view argument) { return argument == "-"; }

  void note(UsageError found) {
    if (!checked_.mistake) checked_.mistake = std::move(found);
  }

  // The row when its value must be the next argument.
  const OptionRow* take_long(std::string_view argument) {
    const std::size_t equals = argument.find('=');
    const bool attached = equals != std::string_view::npos;
    const OptionRow* const row =
        find_option(command_.command, argument.substr(2, attached ? equals - 2 : equals));
    if (row == nullptr) {
      note(unknown_option(command_, argument));
      return nullptr;
    }
    checked_.help |= row->name == "help";
    if (attached && equals + 1 == argument.size()) {
      note(is_switch(*row) ? bad_value(*row, "") : no_value(*row));
      return nullptr;
    }
    checked_.arguments.push_back(with_hyphens(row->name));
    if (attached) checked_.arguments.back() += argument.substr(equals);
    return attached || is_switch(*row) ? nullptr : row;
  }

  // `-R`, `-Rf FILE`, `-oFORMAT`, `-o=FORMAT`: each letter as if it stood alone, in its long form.
  const OptionRow* take_letters(std::string_view argument) {
    for (std::size_t i = 1; i < argument.size(); ++i) {
      const OptionRow* const row = find_option(command_.command, argument[i]);
      if (row == nullptr) {
        note(unknown_option(command_, i == 1 ? argument.substr(0, 2) : argument));
        return nullptr;
      }
      checked_.help |= row->name == "help";
      checked_.arguments.push_back(with_hyphens(row->name));
      if (is_switch(*row)) continue;
      std::string_view value = argument.substr(i + 1);
      if (value.empty()) return row;
      if (value.starts_with('=')) value.remove_prefix(1);
      if (value.empty()) {
        note(no_value(*row));
      } else {
        checked_.arguments.back() += std::string("=").append(value);
      }
      return nullptr;
    }
    return nullptr;
  }

  const CommandRow& command_;
  Checked checked_;
};

std::vector<DescribedOption> describe_options(CLI::App& app, Command command) {
  app.set_help_flag();
  app.allow_extras();
  std::vector<DescribedOption> given;
  for (const OptionRow& row : option_rows()) {
    if (!row.commands.has(command)) continue;
    const std::string name = with_hyphens(row.name);
    CLI::Option* const option = is_switch(row) ? app.add_flag(name) : app.add_option(name);
    if (row.repeatable) {
      option->take_all();
    } else {
      option->take_last();
    }
    given.push_back({&row, option});
  }
  return given;
}

bool is_choice(const CommandRow& command, std::string_view word) {
  return std::find(command.choices.begin(), command.choices.end(), word) != command.choices.end();
}

std::optional<UsageError> take_arguments(const CommandRow& command,
                                         std::vector<std::string> arguments, Options& options) {
  std::string name(command.name);
  switch (command.arguments) {
    case Arguments::kInputs:
      for (std::string& argument : arguments) {
        if (argument.empty()) return bad_value(*find_option(command.command, "filename"), "");
        options.filenames.push_back(std::move(argument));
      }
      return std::nullopt;
    case Arguments::kNone:
      if (arguments.empty()) return std::nullopt;
      return mistake(name + " takes no argument; found " + in_quotes(arguments.front()) +
                     see_help(command));
    case Arguments::kVerbed:
      if (arguments.empty() || !is_choice(command, arguments.front())) {
        return mistake(name + " must be followed by " + std::string(command.choices.front()) +
                       "; found " + (arguments.empty() ? "nothing" : in_quotes(arguments.front())) +
                       see_help(command));
      }
      name += " " + arguments.front();
      arguments.erase(arguments.begin());
      [[fallthrough]];
    case Arguments::kOne:
      // -f may have said it.
      if (!options.argument.empty()) arguments.insert(arguments.begin(), options.argument);
      if (arguments.empty() || arguments.front().empty()) {
        return mistake(name + " needs one argument, " + std::string(command.argument_word) +
                       "; found none" + see_help(command));
      }
      [[fallthrough]];
    case Arguments::kOptional:
      if (arguments.size() > 1) {
        return mistake(name + " takes one argument, " + std::string(command.argument_word) +
                       "; found " + in_quotes(arguments[1]) + " too" + see_help(command));
      }
      if (!arguments.empty()) options.argument = std::move(arguments.front());
      return std::nullopt;
    case Arguments::kWords:
      options.words = std::move(arguments);
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<UsageError> check_inputs(const CommandRow& command, const Options& options) {
  if (command.arguments != Arguments::kInputs) return std::nullopt;
  if (options.filenames.empty() && command.command != Command::kConfig) {
    return mistake(std::string(command.name) +
                   " needs something to read: -f FILE, -f DIRECTORY, or -f - for standard input" +
                   see_help(command));
  }
  if (std::count(options.filenames.begin(), options.filenames.end(), "-") > 1) {
    return mistake("standard input (-) can be read once; found it more than once");
  }
  if (!options.old_path.empty() && !options.against.empty()) {
    return mistake("--old and --against must not come together: both say what was before");
  }
  return std::nullopt;
}

std::optional<UsageError> check_outputs(Options& options) {
  std::vector<ReportOutput>& outputs = options.outputs;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t j = i + 1; j < outputs.size(); ++j) {
      if (outputs[i].file != outputs[j].file) continue;
      if (outputs[i].file.empty()) {
        return mistake(
            "one --output may go to standard output; found two: give all others a file, "
            "as in -o sarif=FILE");
      }
      return mistake("every --output must have a file of its own; found " +
                     in_quotes(outputs[i].file) + " twice");
    }
  }
  const bool shown = std::any_of(outputs.begin(), outputs.end(),
                                 [](const ReportOutput& output) { return output.file.empty(); });
  if (!shown) outputs.insert(outputs.begin(), {Format::kText, ""});
  return std::nullopt;
}

// What no single option can say.
std::optional<UsageError> check_together(const CommandRow& command, Options& options) {
  if (auto found = check_inputs(command, options)) return found;
  if (options.diff && !options.fix) {
    return mistake("--diff shows what --fix would change; it must come with --fix");
  }
  if (command.command == Command::kValidate) return check_outputs(options);
  if (command.command == Command::kCompletion && !is_choice(command, options.argument)) {
    return mistake("SHELL must be bash, zsh or fish; found " + in_quotes(options.argument));
  }
  if (command.command == Command::kHelp && !options.argument.empty() &&
      find_command(options.argument) == nullptr) {
    return unknown_command(options.argument);
  }
  return std::nullopt;
}

Options help_about(std::string_view topic) {
  Options options;
  options.command = Command::kHelp;
  options.argument = topic;
  return options;
}

}  // namespace

std::variant<Options, UsageError> parse_options(std::span<const char* const> arguments) {
  if (arguments.empty()) return help_about("");
  const std::string_view first = arguments.front();
  if (first == "--help" || first == "-h") return help_about("");
  const CommandRow* const command = find_command(first == "--version" ? "version" : first);
  if (command == nullptr) return unknown_command(first);
  arguments = arguments.subspan(1);

  Options options;
  options.command = command->command;
  if (command->arguments == Arguments::kWords) {
    options.words.assign(arguments.begin(), arguments.end());
    return options;
  }
  Checked checked = Checker(*command).check(arguments);
  if (checked.help) return help_about(command->name);
  if (checked.mistake) return *std::move(checked.mistake);

  CLI::App app;
  const std::vector<DescribedOption> given = describe_options(app, command->command);
  // CLI11 wants them last first.
  std::reverse(checked.arguments.begin(), checked.arguments.end());
  try {
    app.parse(std::move(checked.arguments));
  } catch (const CLI::ParseError& error) {
    return mistake(error.what());
  }
  for (const auto& [row, option] : given) {
    for (const std::string& text : option->results()) {
      if (!row->set(options, text)) return bad_value(*row, text);
      options.given.push_back({row->name, text});
    }
  }
  std::vector<std::string> rest = app.remaining();
  // CLI11 leaves the mark that ends the options where it stood.
  if (const auto mark = std::find(rest.begin(), rest.end(), "--"); mark != rest.end()) {
    rest.erase(mark);
  }
  if (auto found = take_arguments(*command, std::move(rest), options)) return *std::move(found);
  if (auto found = check_together(*command, options)) return *std::move(found);
  return options;
}

bool use_colours(Colour wanted, bool is_terminal, bool no_color) {
  switch (wanted) {
    case Colour::kAlways:
      return true;
    case Colour::kNever:
      return false;
    case Colour::kAuto:
      return is_terminal && !no_color;
  }
  return false;
}

}  // namespace dynamo::cli
