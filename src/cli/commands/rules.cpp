// kubectl dynamo rules
#include <algorithm>
#include <array>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/commands/rule_words.hpp"
#include "cli/rule_book.hpp"

namespace dynamo::cli {
namespace {

constexpr std::size_t kColumns = 5;
using Row = std::array<std::string, kColumns>;

// As kubectl prints tables: each column as wide as its widest cell, three spaces between.
std::string table() {
  std::vector<Row> rows{{"ID", "OUTCOME", "KINDS", "OPERATIONS", "WHAT MUST HOLD"}};
  for (const RuleEntry& entry : rule_book()) {
    rows.push_back({std::string(entry.id), std::string(entry.outcome), short_kinds_text(entry),
                    operations_text(entry), std::string(entry.summary)});
  }
  std::array<std::size_t, kColumns> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < kColumns; ++i) {
      text += row[i];
      if (i + 1 < kColumns) text.append(widths[i] - row[i].size() + 3, ' ');
    }
    text += '\n';
  }
  return text;
}

std::string list() {
  std::string text = "{\"rules\":[";
  bool first = true;
  for (const RuleEntry& entry : rule_book()) {
    text += first ? "\n" : ",\n";
    first = false;
    json::ReportWriter writer(text);
    write_entry(writer, entry);
  }
  return text + "\n]}\n";
}

}  // namespace

int run_rules(const Options& options, Streams& streams) {
  streams.out << (options.list_format == ListFormat::kJson ? list() : table());
  return kExitValid;
}

}  // namespace dynamo::cli
