// --help and the documentation page, generated from a table of flags.
#include <string>
#include <string_view>

#include "runtime/build_info.hpp"
#include "runtime/flags.hpp"
#include "runtime/usage_text.hpp"

namespace dynamo::runtime {
namespace {

// "default 2m, 100ms to 1h", or the existing parts of it.
std::string default_and_bounds(const FlagText& flag) {
  std::string text;
  if (!flag.default_value.empty()) text = "default " + std::string(flag.default_value);
  if (const std::string& bounds = flag.form.bounds; !bounds.empty()) {
    if (!text.empty()) text += ", ";
    text += bounds;
  }
  return text;
}

void append_flag_help(std::string& out, const FlagText& flag) {
  std::string head = "  --" + std::string(flag.name);
  if (const std::string& word = flag.form.word; !word.empty()) head += " " + word;
  if (const std::string facts = default_and_bounds(flag); !facts.empty()) {
    head += "  (" + facts + ")";
  }
  out += head + "\n";
  append_wrapped(out, flag.help, 6);
}

// Escapes bars, which would end the cell.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string code_cell(std::string_view text) {
  return text.empty() ? std::string("–") : "`" + cell(text) + "`";
}

void append_flag_row(std::string& out, const FlagText& flag) {
  const std::string& word = flag.form.word;
  out += "| " + code_cell("--" + std::string(flag.name));
  out += " | " + (word.empty() ? std::string("–") : code_cell(word));
  out += " | " + code_cell(flag.default_value);
  const std::string& bounds = flag.form.bounds;
  out += " | " + (bounds.empty() ? std::string("–") : bounds);
  out += " | " + cell(flag.help) + " |\n";
}

void append_commands_help(std::string& help, const ProgramTexts& program) {
  if (program.commands.empty()) return;
  help += "\nCommands:\n";
  for (const UsageExample& command : program.commands) {
    help.append("  ").append(command.line).append("\n");
    append_wrapped(help, command.comment, 6);
  }
}

void append_environment_help(std::string& help, const ProgramTexts& program) {
  if (program.environment.empty()) return;
  help += "\nEnvironment:\n";
  for (const EnvironmentVariable& variable : program.environment) {
    help.append("  ").append(variable.name).append("\n");
    append_wrapped(help, variable.meaning, 6);
  }
}

void append_exit_codes_help(std::string& help, const ProgramTexts& program) {
  if (program.exit_codes.empty()) return;
  help += "\nExit codes:\n";
  for (const ExitCode& each : program.exit_codes) {
    help.append("  ").append(each.code).append("\n");
    append_wrapped(help, each.meaning, 6);
  }
}

void append_commands_page(std::string& text, const ProgramTexts& program) {
  if (program.commands.empty()) return;
  text += "\n## Commands\n\n| command | meaning |\n|---|---|\n";
  for (const UsageExample& command : program.commands) {
    text += "| " + code_cell(command.line) + " | " + cell(command.comment) + " |\n";
  }
}

void append_exit_codes_page(std::string& text, const ProgramTexts& program) {
  if (program.exit_codes.empty()) return;
  text += "\n## Exit codes\n\n| code | meaning |\n|---|---|\n";
  for (const ExitCode& each : program.exit_codes) {
    text += "| " + code_cell(each.code) + " | " + cell(each.meaning) + " |\n";
  }
}

void append_environment_page(std::string& text, const ProgramTexts& program) {
  text +=
      "\n## Environment\n\n"
      "No flag is read from the environment. The libraries below have variables of their own, such "
      "as `OPENSSL_CONF`; what a\nkubeconfig names under `exec` gets the whole environment.\n";
  if (program.environment.empty()) return;
  text += "\n| variable | meaning |\n|---|---|\n";
  for (const EnvironmentVariable& variable : program.environment) {
    text += "| " + code_cell(variable.name) + " | " + cell(variable.meaning) + " |\n";
  }
}

}  // namespace

std::string flags_help(const FlagPage& page) {
  const std::string name(page.program.name);
  std::string help = name + " " + std::string(program_version()) + ": " +
                     std::string(page.program.purpose) + "\n\nUsage: " + name +
                     " [--flag value | --flag=value]...\n";
  for (const FlagSection& section : page.sections) {
    help += "\n" + std::string(section.title) + ":\n";
    for (const FlagText& flag : section.flags) append_flag_help(help, flag);
  }
  append_commands_help(help, page.program);
  append_environment_help(help, page.program);
  append_exit_codes_help(help, page.program);
  help += '\n';
  append_wrapped(help,
                 "Values: a DURATION is written 500ms, 10s or 1m30s; a SIZE 7MiB or 7340032 "
                 "(bytes); an ADDRESS 0.0.0.0:9443, :9443 or [::1]:9443. If a flag is given "
                 "twice, the last one counts.",
                 0);
  help += "\nExamples:\n";
  for (const UsageExample& example : page.program.examples) {
    help.append("  # ").append(example.comment).append("\n  ").append(example.line).append("\n");
  }
  return help;
}

std::string flags_markdown(const FlagPage& page) {
  std::string text = "# Flags of " + std::string(page.program.name) +
                     "\n\nGenerated by `dynamo-docs` from the table in `" +
                     std::string(page.program.table) +
                     "`; do not edit.\n\n"
                     "Written `--flag value` or `--flag=value`; of a flag given twice the last one "
                     "counts. Flags come from no file and\nfrom no environment variable; [the end "
                     "of this page](#environment) has the variables that are read. An unknown "
                     "flag or a\nvalue that is not accepted ends the program with one line and "
                     "exit code 2.\n\n"
                     "Durations are written as in Go (`500ms`, `10s`, `1m30s`), sizes in bytes or "
                     "with a unit (`7340032`, `7MiB`),\n"
                     "addresses `0.0.0.0:9443`, `:9443` or `[::1]:9443`.\n";
  for (const FlagSection& section : page.sections) {
    text += "\n## " + std::string(section.title) + "\n\n";
    text += "| flag | value | default | bounds | meaning |\n|---|---|---|---|---|\n";
    for (const FlagText& flag : section.flags) append_flag_row(text, flag);
  }
  append_commands_page(text, page.program);
  append_exit_codes_page(text, page.program);
  append_environment_page(text, page.program);
  return text;
}

}  // namespace dynamo::runtime
