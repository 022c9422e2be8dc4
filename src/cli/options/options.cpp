#include "cli/options/options.hpp"

#include <algorithm>
#include <utility>

#include "cli/options/options_table.hpp"
#include "runtime/arguments.hpp"
#include "runtime/usage_text.hpp"
#include "schema/suggest.hpp"

namespace dynamo::cli {
namespace {

using runtime::in_quotes;
using runtime::with_hyphens;

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
  if (const std::string_view suggestion = schema::nearest_word(names, typed); !suggestion.empty()) {
    line += "; did you mean " + std::string(suggestion) + "?";
  } else if (typed.starts_with('-')) {
    line = "the command must come before its options; found " + in_quotes(typed);
  } else if (typed.find_first_of("./") != std::string_view::npos) {
    line += "; to check a file: `" + std::string(kInvocation) + " validate -f FILE`";
  }
  return mistake(line + "; `" + std::string(kInvocation) + " --help` lists the commands");
}

UsageError unknown_option(const CommandRow& command, const runtime::FlagPage& page,
                          std::string_view argument) {
  const std::string_view typed = argument.substr(0, argument.find('='));
  std::string line = "unknown option " + in_quotes(typed) + " of " + std::string(command.name);
  if (typed.starts_with("--")) {
    std::vector<std::string_view> names;
    for (const runtime::FlagSection& section : page.sections) {
      for (const runtime::FlagText& flag : section.flags) names.push_back(flag.name);
    }
    if (const auto suggestion = schema::nearest_word(names, typed.substr(2)); !suggestion.empty()) {
      line += "; did you mean " + with_hyphens(suggestion) + "?";
    }
  }
  return mistake(line + see_help(command));
}

UsageError unreadable(const CommandRow& command, const runtime::FlagPage& page,
                      const runtime::ArgumentMistake& found) {
  if (found.flag != nullptr) return mistake(runtime::no_value(*found.flag));
  return unknown_option(command, page, found.word);
}

UsageError bad_value(const CommandRow& command, std::string_view name, std::string_view text) {
  return mistake(runtime::bad_value(find_option(command.command, name)->flag.text(), text));
}

bool is_choice(const CommandRow& command, std::string_view word) {
  return std::find(command.choices.begin(), command.choices.end(), word) != command.choices.end();
}

std::optional<UsageError> take_arguments(const CommandRow& command,
                                         std::vector<std::string> arguments, Options& options) {
  std::string name(command.name);
  switch (command.arguments) {
    case CommandArguments::kInputs:
      for (std::string& argument : arguments) {
        if (argument.empty()) return bad_value(command, "filename", "");
        options.filenames.push_back(std::move(argument));
      }
      return std::nullopt;
    case CommandArguments::kNone:
      if (arguments.empty()) return std::nullopt;
      return mistake(name + " takes no argument; found " + in_quotes(arguments.front()) +
                     see_help(command));
    case CommandArguments::kVerbed:
      if (arguments.empty() || !is_choice(command, arguments.front())) {
        std::string line = name + " must be followed by " + std::string(command.choices.front()) +
                           "; found " +
                           (arguments.empty() ? "nothing" : in_quotes(arguments.front()));
        const std::string_view suggestion =
            arguments.empty() ? std::string_view{}
                              : schema::nearest_word(command.choices, arguments.front());
        if (!suggestion.empty()) line += "; did you mean " + std::string(suggestion) + "?";
        return mistake(line + see_help(command));
      }
      name += " " + arguments.front();
      arguments.erase(arguments.begin());
      [[fallthrough]];
    case CommandArguments::kOne:
      // -f may have set it.
      arguments.insert(arguments.begin(), options.filenames.begin(), options.filenames.end());
      options.filenames.clear();
      if (arguments.empty() || arguments.front().empty()) {
        return mistake(name + " needs one argument, " + std::string(command.argument_word) +
                       "; found none" + see_help(command));
      }
      [[fallthrough]];
    case CommandArguments::kOptional:
      if (arguments.size() > 1) {
        return mistake(name + " takes one argument, " + std::string(command.argument_word) +
                       "; found " + in_quotes(arguments[1]) + " too" + see_help(command));
      }
      if (!arguments.empty()) options.argument = std::move(arguments.front());
      return std::nullopt;
    case CommandArguments::kWords:
      options.words = std::move(arguments);
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<UsageError> check_inputs(const CommandRow& command, const Options& options) {
  if (command.arguments != CommandArguments::kInputs) return std::nullopt;
  if (options.filenames.empty() && command.command != Command::kConfig) {
    return mistake(std::string(command.name) +
                   " needs something to read: -f FILE, -f DIRECTORY, or -f - for standard input" +
                   see_help(command));
  }
  if (std::count(options.filenames.begin(), options.filenames.end(), "-") > 1) {
    return mistake("standard input (-) can be read once; found it more than once");
  }
  if (!options.old_path.empty() && !options.against.empty()) {
    return mistake("--old and --against must not come together: both set the old objects");
  }
  if (!options.config_from.empty() && !options.config_file.empty()) {
    return mistake("--config and --config-from must not come together: both set the configuration");
  }
  if (options.config_from.starts_with('-')) {
    return mistake("--config-from must name a commit; " + options.config_from + " is an option");
  }
  const bool has_before = !options.old_path.empty() || !options.against.empty();
  const bool asks_cluster = !options.kubeconfig.empty() || !options.kube_context.empty();
  if (has_before && asks_cluster) {
    return mistake(
        "--old and --against must not come with --kubeconfig and --context: both set the old "
        "objects");
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

// Checks of options in combination.
std::optional<UsageError> check_together(const CommandRow& command, Options& options) {
  if (auto found = check_inputs(command, options)) return found;
  if (options.diff && !options.fix && options.command == Command::kValidate) {
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

  if (command->arguments == CommandArguments::kWords) {
    Options options;
    options.command = command->command;
    options.words.assign(arguments.begin(), arguments.end());
    return options;
  }
  const runtime::FlagTable<Options> table = option_table(command->command);
  runtime::Arguments read =
      runtime::read_arguments(table.page(), arguments, runtime::PositionalArguments::kAccept);
  if (read.ends_program != nullptr) return help_about(command->name);
  if (read.mistake) return unreadable(*command, table.page(), *read.mistake);

  Options options = table.defaults();
  options.command = command->command;
  for (const runtime::ParsedFlag& flag : read.flags) {
    if (!table.set(flag.index, flag.text, options)) {
      return bad_value(*command, flag.name, flag.text);
    }
  }
  options.given = std::move(read.flags);
  if (auto found = take_arguments(*command, std::move(read.positionals), options)) {
    return *std::move(found);
  }
  if (auto found = check_together(*command, options)) return *std::move(found);
  return options;
}

bool should_use_colours(Colour wanted, bool is_terminal, bool no_color) {
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
