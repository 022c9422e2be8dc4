// kubectl dynamo explain RULE-ID
#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/commands/rule_printer.hpp"
#include "cli/options/options_text.hpp"
#include "cli/report/rule_book.hpp"
#include "runtime/log_format.hpp"
#include "runtime/usage_text.hpp"
#include "schema/suggest.hpp"
#include "text/glob.hpp"

namespace dynamo::cli {
namespace {

// Users paste whole messages, of one finding or of a whole denial: finds the known ids in brackets,
// each once.
std::vector<const RuleEntry*> entries_in(std::string_view text) {
  std::vector<const RuleEntry*> entries;
  for (std::size_t open = text.find('['); open != std::string_view::npos;
       open = text.find('[', open + 1)) {
    // Inside a field path, a bracket follows a name directly.
    if (open != 0 && text[open - 1] != ' ' && text[open - 1] != '\n') continue;
    const std::size_t close = std::min(text.find(']', open), text.size());
    const RuleEntry* const entry = find_rule_entry(text.substr(open + 1, close - open - 1));
    if (entry == nullptr || std::ranges::find(entries, entry) != entries.end()) continue;
    entries.push_back(entry);
  }
  return entries;
}

std::string_view without_brackets(std::string_view id) {
  const bool has_brackets = id.size() > 1 && id.starts_with('[') && id.ends_with(']');
  return has_brackets ? id.substr(1, id.size() - 2) : id;
}

// The most likely intended id; empty if none is near.
std::string_view nearest_id(std::string_view typed) {
  std::vector<std::string_view> ids;
  for (const RuleEntry& entry : rule_book()) ids.push_back(entry.id);
  if (const std::string_view near = schema::nearest_word(ids, typed); !near.empty()) return near;
  // A part of an id suffices if only one id contains it.
  const auto holds = [typed](std::string_view id) {
    return typed.size() > 2 && id.find(typed) != std::string_view::npos;
  };
  const auto first = std::find_if(ids.begin(), ids.end(), holds);
  if (first == ids.end() || std::find_if(first + 1, ids.end(), holds) != ids.end()) return {};
  return *first;
}

int refuse_unknown(std::string_view typed, Streams& streams) {
  constexpr std::size_t kShownBytes = 80;
  std::string line = std::string(kProgramName) + ": unknown rule ";
  runtime::append_json_string(line, runtime::cut_utf8(typed, kShownBytes));
  if (const std::string_view suggestion = nearest_id(typed); !suggestion.empty()) {
    line += "; did you mean " + std::string(suggestion) + "?";
  }
  streams.err << line << "; `" << kInvocation << " rules` lists all\n";
  return kExitUnusable;
}

std::string_view outcome_sentence(const RuleEntry& entry) {
  if (entry.source == RuleSource::kSchema) return "the API server refuses the object";
  if (entry.outcome == "deny") return "the webhook refuses the object";
  if (entry.outcome == "warn") return "the webhook warns and allows the object";
  if (entry.outcome == "set") return "the webhook sets it";
  return "none: it is switched off";
}

void add_row(std::string& text, std::string_view title, std::string_view value) {
  constexpr std::size_t kWidth = 12;
  if (value.empty()) return;
  text += "  ";
  text += title;
  text.append(kWidth - title.size(), ' ');
  text += value;
  text += '\n';
}

void add_example(std::string& text, std::string_view title, std::string_view manifest) {
  if (manifest.empty()) return;
  text += '\n';
  text += title;
  text += "\n\n";
  while (!manifest.empty()) {
    const std::size_t end = manifest.find('\n') + 1;  // npos + 1 is 0
    const std::string_view line = manifest.substr(0, end == 0 ? manifest.size() : end);
    if (line != "\n") text += "    ";
    text += line;
    manifest.remove_prefix(line.size());
  }
}

std::string describe(const RuleEntry& entry) {
  std::string text{entry.id};
  text += '\n';
  add_row(text, entry.source == RuleSource::kDefault ? "Sets" : "Wants", entry.summary);
  std::string_view row = "Field";
  for (const std::string& field : entry.fields) {
    add_row(text, row, field);
    row = "";
  }
  add_row(text, "Kinds", kinds_text(entry));
  add_row(text, "On", operations_text(entry));
  add_row(text, entry.source == RuleSource::kDefault ? "Outcome" : "Otherwise",
          outcome_sentence(entry));
  if (entry.ratcheted) {
    add_row(text, "Updates",
            "are validated only on what they change, so that a stored object stays editable");
  }
  if (!entry.explanation.empty()) {
    text += '\n';
    runtime::append_wrapped(text, entry.explanation, 0);
  }
  const bool is_default = entry.source == RuleSource::kDefault;
  add_example(text, is_default ? "Before:" : "Wrong:", entry.wrong);
  add_example(text, is_default ? "After:" : "Right:", entry.right);
  return text;
}

// The entries whose ids match a pattern.
std::vector<const RuleEntry*> entries_like(std::string_view glob) {
  std::vector<const RuleEntry*> entries;
  if (glob.find_first_of("*?") == std::string_view::npos) return entries;
  for (const RuleEntry& entry : rule_book()) {
    if (text::matches_glob(glob, entry.id)) entries.push_back(&entry);
  }
  return entries;
}

std::string describe(const std::vector<const RuleEntry*>& entries, ListFormat format) {
  const bool is_json = format == ListFormat::kJson;
  std::string text;
  for (const RuleEntry* const entry : entries) {
    if (is_json) {
      text += text.empty() ? "{\"rules\":[\n" : ",\n";
      json::ReportWriter writer(text);
      write_entry(writer, *entry);
    } else {
      if (!text.empty()) text += '\n';
      text += describe(*entry);
    }
  }
  if (is_json) text += "\n]}\n";
  return text;
}

}  // namespace

int run_explain(const Options& options, Streams& streams) {
  const std::string_view id = without_brackets(options.argument);
  std::vector<const RuleEntry*> entries = entries_in(options.argument);
  bool is_list = entries.size() > 1;
  if (const RuleEntry* const entry = find_rule_entry(id)) {
    entries = {entry};
  } else if (entries.empty()) {
    entries = entries_like(id);
    is_list = true;
  }
  if (entries.empty()) return refuse_unknown(id, streams);
  if (is_list || options.list_format != ListFormat::kJson) {
    streams.out << describe(entries, options.list_format);
    return kExitValid;
  }
  std::string text;
  json::ReportWriter writer(text);
  write_entry(writer, *entries.front());
  streams.out << text << '\n';
  return kExitValid;
}

}  // namespace dynamo::cli
