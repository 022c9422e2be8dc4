// The --help pages, generated from the tables.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "cli/options/options.hpp"
#include "cli/options/options_table.hpp"
#include "cli/options/options_text.hpp"
#include "runtime/build_info.hpp"
#include "runtime/usage_text.hpp"

namespace dynamo::cli {
namespace {

void append_names(std::string& out, std::string_view name, std::string_view text,
                  std::size_t width) {
  out += "  ";
  out += name;
  out.append(width - name.size() + 2, ' ');
  out += text;
  out += '\n';
}

std::string overview() {
  std::string help =
      std::string(kInvocation) + " " + std::string(runtime::program_version()) +
      ": checks manifests of NVIDIA Dynamo (" + std::string(runtime::kApiGroupVersions) +
      ")\nas the cluster would, without a cluster.\n\nUsage: " + std::string(kInvocation) +
      " COMMAND [OPTION]... [ARGUMENT]...\n"
      "       " +
      std::string(kProgramName) + " is the same program by its own name.\n\n";
  help += "Commands:\n";
  std::size_t width = 0;
  for (const CommandRow& row : command_rows()) {
    if (!row.hidden) width = std::max(width, row.name.size());
  }
  for (const CommandRow& row : command_rows()) {
    if (!row.hidden) append_names(help, row.name, row.summary, width);
  }
  help += "\nStart with:\n";
  for (const Example& example : row_of(Command::kValidate).examples) {
    help += "  # " + std::string(example.comment) + "\n  " + std::string(example.line) + "\n";
  }
  help += "\nExit codes:\n";
  for (const ExitCodeRow& row : exit_code_rows()) append_names(help, row.code, row.meaning, 1);
  help += "\n`" + std::string(kInvocation) + " COMMAND --help` describes one command.\n";
  return help;
}

void append_option(std::string& help, const OptionRow& row) {
  help += "  ";
  help += option_head(row);
  if (!row.flag.default_value.empty())
    help += "  (default " + std::string(row.flag.default_value) + ")";
  help += '\n';
  runtime::append_wrapped(help, row.flag.help, 6);
}

std::string command_page(const CommandRow& command) {
  std::string help = std::string(kInvocation) + " " + std::string(command.name) + ": " +
                     std::string(command.summary) + "\n\nUsage: " + usage_line(command) + "\n\n";
  runtime::append_wrapped(help, command.description, 0);
  if (!command.examples.empty()) {
    help += "\nExamples:\n";
    for (const Example& example : command.examples) {
      help += "  # " + std::string(example.comment) + "\n  " + std::string(example.line) + "\n";
    }
  }
  const OptionRow* before = nullptr;
  for (const OptionRow& row : option_rows()) {
    if (!row.commands.has(command.command)) continue;
    if (before == nullptr || before->group != row.group) {
      help += "\n" + std::string(row.group) + ":\n";
    }
    append_option(help, row);
    before = &row;
  }
  if (command.command == Command::kValidate) {
    help += "\nFormats:\n";
    for (const FormatRow& row : format_rows()) append_names(help, row.name, row.meaning, 6);
  }
  if (command.arguments == CommandArguments::kInputs || command.command == Command::kReplay ||
      command.command == Command::kPolicy) {
    help += "\nExit codes:\n";
    for (const ExitCodeRow& row : exit_code_rows()) append_names(help, row.code, row.meaning, 1);
  }
  return help;
}

}  // namespace

std::span<const ExitCodeRow> exit_code_rows() {
  static constexpr auto kRows = std::to_array<ExitCodeRow>({
      {"0", "everything is valid"},
      {"1",
       "an object is refused (--warnings-as-errors: or has a warning), not rendered; an invalid "
       "policy"},
      {"2",
       "a mistake in the command line, or an input that could not be read, regardless of other "
       "findings"},
      {"3", "a defect of this program"},
  });
  return kRows;
}

std::span<const FormatRow> format_rows() {
  static constexpr auto kRows = std::to_array<FormatRow>({
      {"text", "for people: FILE:LINE:COLUMN, the problem, and the line with a mark under it"},
      {"json", "one document with every finding and a summary"},
      {"junit", "JUnit XML, one test case for each object, for test reports"},
      {"sarif", "SARIF 2.1.0, for code scanning"},
      {"tap", "TAP, one test for each object, for `prove` and other TAP tools"},
      {"github", "workflow commands that GitHub Actions turns into annotations"},
  });
  return kRows;
}

std::string option_head(const OptionRow& row) {
  std::string head;
  if (row.flag.letter != '\0') head += {'-', row.flag.letter, ',', ' '};
  head += "--";
  head += row.flag.name;
  if (!row.is_switch()) {
    head += ' ';
    head += row.form().word;
  }
  return head;
}

std::string usage_line(const CommandRow& command) {
  std::string line = std::string(kInvocation) + " " + std::string(command.name);
  if (command.arguments == CommandArguments::kVerbed) {
    line += " " + std::string(command.choices.front());
  }
  if (command.arguments != CommandArguments::kNone || command.command == Command::kRules) {
    line += command.command == Command::kHelp ? "" : " [OPTION]...";
  }
  if (command.arguments == CommandArguments::kInputs) {
    line += " [-f] " + std::string(command.argument_word) + "...";
  } else if (command.arguments == CommandArguments::kOptional) {
    line += " [" + std::string(command.argument_word) + "]";
  } else if (!command.argument_word.empty()) {
    if (find_option(command.command, "filename") != nullptr) line += " [-f]";
    line += " " + std::string(command.argument_word);
  }
  return line;
}

std::string help_text(std::string_view topic) {
  if (topic.empty()) return overview();
  const CommandRow* const command = find_command(topic);
  return command == nullptr ? std::string() : command_page(*command);
}

}  // namespace dynamo::cli
