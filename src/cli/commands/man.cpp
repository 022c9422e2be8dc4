// kubectl dynamo man: the manual page, generated from the tables.
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/options/options_table.hpp"
#include "cli/options/options_text.hpp"
#include "runtime/build_info.hpp"

namespace dynamo::cli {
namespace {

// Escapes text for roff. Hyphens become typed hyphens.
std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins_line = i == 0 || text[i - 1] == '\n';
    if (begins_line && (text[i] == '.' || text[i] == '\'')) out += "\\&";
    if (text[i] == '\\') {
      out += "\\e";
    } else if (text[i] == '-') {
      out += "\\-";
    } else if (text.substr(i).starts_with("…")) {
      out += "...";  // ASCII terminals have no ellipsis
      i += std::string_view("…").size() - 1;
    } else {
      out += text[i];
    }
  }
  return out;
}

void section(std::string& page, std::string_view title) {
  page += ".SH ";
  page += title;
  page += '\n';
}

void sub_section(std::string& page, std::string_view title) {
  page += ".SS \"" + escaped(title) + "\"\n";
}

// Paragraphs separated by line feeds.
void paragraphs(std::string& page, std::string_view text) {
  while (true) {
    const std::size_t end = text.find('\n');
    page += escaped(text.substr(0, end)) + "\n";
    if (end == std::string_view::npos) return;
    page += ".PP\n";
    text.remove_prefix(end + 1);
  }
}

void tagged(std::string& page, std::string_view tag, std::string_view text) {
  page += ".TP\n.B " + escaped(tag) + "\n" + escaped(text) + "\n";
}

// "Of validate and bench."
std::string commands_of(const OptionRow& row) {
  std::vector<std::string_view> names;
  std::size_t shown = 0;
  for (const CommandRow& command : command_rows()) {
    if (command.hidden) continue;
    ++shown;
    if (row.commands.has(command.command)) names.push_back(command.name);
  }
  if (names.size() == shown) return "Of every command.";
  std::string text = "Of ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text + ".";
}

void options(std::string& page) {
  const OptionRow* before = nullptr;
  for (const OptionRow& row : option_rows()) {
    if (before == nullptr || before->group != row.group) sub_section(page, row.group);
    std::string help{row.flag.help};
    if (!row.flag.default_value.empty())
      help += " Default: " + std::string(row.flag.default_value) + ".";
    tagged(page, option_head(row), help + " " + commands_of(row));
    before = &row;
  }
}

void examples_of(std::string& page, const CommandRow& command) {
  for (const Example& example : command.examples) {
    page += ".PP\n# " + escaped(example.comment) + "\n.RS 4\n.nf\n" + escaped(example.line) +
            "\n.fi\n.RE\n";
  }
}

std::string manual() {
  std::string page = ".TH KUBECTL\\-DYNAMO 1 \"\" \"" + std::string(kProgramName) + " " +
                     std::string(runtime::program_version()) + "\" \"User Commands\"\n";
  section(page, "NAME");
  page += "kubectl\\-dynamo \\- check manifests of NVIDIA Dynamo as the cluster would\n";
  section(page, "SYNOPSIS");
  page += ".nf\n";
  for (const CommandRow& row : command_rows()) {
    if (!row.hidden) page += ".B " + escaped(usage_line(row)) + "\n";
  }
  page += ".fi\n";
  section(page, "DESCRIPTION");
  paragraphs(page, "Validates objects of " + std::string(runtime::kApiGroupVersions) +
                       " away from a cluster, with the verdict of the cluster: the schema of their "
                       "resources and the rules of the admission webhook.\n"
                       "kubectl runs this program as a plugin, so that `kubectl dynamo` and "
                       "`kubectl-dynamo` are the same.");
  section(page, "COMMANDS");
  for (const CommandRow& row : command_rows()) {
    if (row.hidden) continue;
    sub_section(page, row.name);
    page += escaped("The command " + std::string(row.name) + " " + std::string(row.summary) + ".") +
            "\n.PP\n";
    paragraphs(page, row.description);
  }
  section(page, "OPTIONS");
  options(page);
  section(page, "OUTPUT FORMATS");
  for (const FormatRow& row : format_rows()) tagged(page, row.name, row.meaning);
  section(page, "EXIT STATUS");
  for (const ExitCodeRow& row : exit_code_rows()) tagged(page, row.code, row.meaning);
  section(page, "ENVIRONMENT");
  tagged(page, "NO_COLOR", "If set to anything, output is not coloured unless --colour always.");
  tagged(page, "GITHUB_WORKSPACE",
         "Where the paths in `github` and `sarif` begin, for files below it; for others at the "
         "root of "
         "their git repository.");
  section(page, "EXAMPLES");
  for (const CommandRow& row : command_rows()) examples_of(page, row);
  section(page, "SEE ALSO");
  page += ".BR kubectl (1)\n";
  return page;
}

}  // namespace

int run_man(const Options& /*options*/, Streams& streams) {
  streams.out << manual();
  return kExitValid;
}

}  // namespace dynamo::cli
