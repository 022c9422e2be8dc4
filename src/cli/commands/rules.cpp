// kubectl dynamo rules
#include <algorithm>
#include <array>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/commands/rule_printer.hpp"
#include "cli/report/rule_book.hpp"
#include "cli/report/wording.hpp"
#include "runtime/usage_text.hpp"
#include "schema/table.hpp"
#include "text/glob.hpp"

namespace dynamo::cli {
namespace {

constexpr std::size_t kBetween = 3;
constexpr std::size_t kColumns = 3;  // before the summary
using Row = std::array<std::string, kColumns>;

bool matches_any(std::span<const std::string> globs, std::string_view id) {
  return std::ranges::any_of(
      globs, [id](const std::string& glob) { return text::matches_glob(glob, id); });
}

std::vector<const RuleEntry*> chosen(const Options& options) {
  std::vector<const RuleEntry*> entries;
  for (const RuleEntry& entry : rule_book()) {
    const bool wanted = options.only_rules.empty() || matches_any(options.only_rules, entry.id);
    if (wanted && !matches_any(options.skipped_rules, entry.id)) entries.push_back(&entry);
  }
  return entries;
}

// Explains the table's short kind names.
std::string legend(std::span<const RuleEntry* const> entries) {
  std::string text;
  for (const schema::Resource& resource : schema::resources()) {
    const bool is_named = std::ranges::any_of(entries, [&](const RuleEntry* entry) {
      return std::ranges::find(entry->kinds, resource.kind) != entry->kinds.end();
    });
    if (!is_named) continue;
    text += text.empty() ? "" : ", ";
    text += std::string(resource.short_name) + "=" + std::string(resource.kind);
  }
  return text;
}

// In kubectl's table style: each column as wide as its widest cell, three spaces in between; the
// last one is wrapped. The full names of the kinds follow below.
std::string table(std::span<const RuleEntry* const> entries) {
  std::vector<Row> rows{{"ID", "OUTCOME", "KINDS"}};
  std::vector<std::string_view> summaries{"WHAT MUST HOLD"};
  for (const RuleEntry* const entry : entries) {
    rows.push_back({std::string(entry->id), std::string(entry->outcome), short_kinds_text(*entry)});
    summaries.push_back(entry->summary);
  }
  std::array<std::size_t, kColumns> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (std::size_t n = 0; n < rows.size(); ++n) {
    std::size_t column = 0;
    for (std::size_t i = 0; i < kColumns; ++i) {
      text += rows[n][i];
      text.append(widths[i] - rows[n][i].size() + kBetween, ' ');
      column += widths[i] + kBetween;
    }
    runtime::append_wrapped_behind(text, summaries[n], column);
    text += '\n';
  }
  if (const std::string kinds = legend(entries); !kinds.empty()) {
    constexpr std::string_view kTitle = "KINDS: ";
    text += '\n';
    text += kTitle;
    runtime::append_wrapped_behind(text, kinds, kTitle.size());
    text += '\n';
  }
  return text;
}

std::string list(std::span<const RuleEntry* const> entries) {
  std::string text = "{\"rules\":[";
  bool first = true;
  for (const RuleEntry* const entry : entries) {
    text += first ? "\n" : ",\n";
    first = false;
    json::ReportWriter writer(text);
    write_entry(writer, *entry);
  }
  return text + "\n]}\n";
}

}  // namespace

int run_rules(const Options& options, Streams& streams) {
  const std::vector<const RuleEntry*> entries = chosen(options);
  if (entries.empty()) {
    return refuse(streams, "--only and --skip must leave a rule; no id matches them; `" +
                               std::string(kInvocation) + " rules` lists all");
  }
  streams.out << (options.list_format == ListFormat::kJson ? list(entries) : table(entries));
  return kExitValid;
}

}  // namespace dynamo::cli
