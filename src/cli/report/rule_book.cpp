#include "cli/report/rule_book.hpp"

#include <algorithm>
#include <array>

#include "api/kind.hpp"
#include "cli/report/rule_fields.hpp"
#include "defaulters/catalog.hpp"
#include "defaulters/texts.hpp"
#include "schema/catalog.hpp"
#include "schema/check_ids.hpp"
#include "schema/table.hpp"
#include "validators/catalog.hpp"
#include "validators/texts.hpp"

namespace dynamo::cli {
namespace {

using api::Operation;

// A text's lines joined into one.
std::string one_line(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::string line{text};
  std::ranges::replace(line, '\n', ' ');
  return line;
}

RuleEntry entry_of(const schema::CheckText& check) {
  RuleEntry entry{.id = check.id,
                  .source = RuleSource::kSchema,
                  .kinds = {},
                  .operations = {api::name(Operation::kCreate), api::name(Operation::kUpdate)},
                  .outcome = "deny",
                  // Errors of the decoding stage are found on every read.
                  .ratcheted = check.stage == schema::Stage::kSchema,
                  .fields = {"any"},
                  .summary = check.summary,
                  .explanation = std::string(check.explanation),
                  .since = {},
                  .wrong = {},
                  .right = {}};
  // The object itself may be valid; kubectl never sends it.
  if (check.id == schema::ids::kDroppedDocument) entry.outcome = "warn";
  // The only check that compares with the stored object.
  if (check.id == schema::ids::kIdentityUnchanged) entry.operations.erase(entry.operations.begin());
  for (const schema::Resource& resource : schema::resources()) entry.kinds.push_back(resource.kind);
  return entry;
}

RuleEntry entry_of(const validators::Rule& rule) {
  RuleEntry entry{.id = rule.id,
                  .source = RuleSource::kRule,
                  .kinds = {},
                  .operations = {},
                  .outcome = to_string(rule.severity),
                  .ratcheted = rule.ratchet == validators::Ratchet::kYes,
                  .fields = {},
                  .summary = {},
                  .explanation = {},
                  .since = {},
                  .wrong = {},
                  .right = {}};
  if (const validators::RuleText* text = validators::find_text(rule.id)) {
    entry.explanation = one_line(text->explanation);
    entry.since = text->since;
    entry.summary = text->summary;
    entry.wrong = text->wrong;
    entry.right = text->right;
  }
  entry.fields = fields_of(rule);
  for (const api::KindNames& kind : api::kKinds) {
    if (rule.kinds.has(kind.kind)) entry.kinds.push_back(kind.name);
  }
  for (const Operation operation : {Operation::kCreate, Operation::kUpdate}) {
    if (rule.operations.has(operation)) entry.operations.push_back(api::name(operation));
  }
  return entry;
}

RuleEntry entry_of(const defaulters::DefaultInfo& row) {
  RuleEntry entry{.id = row.id,
                  .source = RuleSource::kDefault,
                  .kinds = {api::names(row.kind).name},
                  .operations = {},
                  .outcome = "set",
                  .ratcheted = false,
                  .fields = {std::string(row.field)},
                  .summary = row.summary,
                  .explanation = {},
                  .since = {},
                  .wrong = {},
                  .right = {}};
  if (const defaulters::DefaultText* text = defaulters::find_text(row.id)) {
    entry.explanation = one_line(text->explanation);
    entry.since = text->since;
    entry.wrong = text->before;
    entry.right = text->after;
  }
  if (row.on_create) entry.operations.push_back(api::name(Operation::kCreate));
  if (row.on_update) entry.operations.push_back(api::name(Operation::kUpdate));
  return entry;
}

std::vector<RuleEntry> read_catalogs() {
  std::vector<RuleEntry> entries;
  for (const schema::CheckText& check : schema::catalog()) entries.push_back(entry_of(check));
  for (const validators::Rule& rule : validators::catalog()) entries.push_back(entry_of(rule));
  for (const defaulters::Default& row : defaulters::catalog()) entries.push_back(entry_of(row));
  for (const defaulters::DefaultInfo& row : defaulters::later_catalog()) {
    entries.push_back(entry_of(row));
  }
  return entries;
}

}  // namespace

std::span<const RuleEntry> rule_book() {
  static const std::vector<RuleEntry> entries = read_catalogs();
  return entries;
}

const RuleEntry* find_rule_entry(std::string_view id) {
  const std::span<const RuleEntry> entries = rule_book();
  const auto entry = std::find_if(entries.begin(), entries.end(),
                                  [id](const RuleEntry& each) { return each.id == id; });
  return entry == entries.end() ? nullptr : &*entry;
}

std::string_view name(RuleSource source) {
  constexpr std::array<std::string_view, 3> kNames{"schema", "rule", "default"};
  return kNames[static_cast<std::size_t>(source)];
}

}  // namespace dynamo::cli
