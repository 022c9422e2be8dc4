#include "admission/rules_page.hpp"

#include <string_view>

#include "api/kind.hpp"
#include "defaulters/catalog.hpp"
#include "validators/catalog.hpp"

namespace dynamo::admission {
namespace {

std::string_view severity_name(validators::Severity severity) {
  switch (severity) {
    case validators::Severity::kOff:
      return "off";
    case validators::Severity::kWarn:
      return "warn";
    case validators::Severity::kDeny:
      return "deny";
  }
  return "";
}

std::string kinds_of(const validators::Rule& rule) {
  std::string text;
  std::size_t count = 0;
  for (const api::KindNames& kind : api::kKinds) {
    if (!rule.kinds.has(kind.kind)) continue;
    if (++count > 1) text += ", ";
    text += kind.name;
  }
  return count == api::kKindCount ? "all" : text;
}

std::string_view operations_of(const validators::Rule& rule) {
  return rule.operations.has(api::Operation::kCreate) ? "create, update" : "update";
}

void add_row(std::string& page, const validators::Rule& rule) {
  page += "| `";
  page += rule.id;
  page += "` | " + kinds_of(rule) + " | ";
  page += operations_of(rule);
  page += " | ";
  page += severity_name(rule.severity);
  page += rule.ratchet == validators::Ratchet::kYes ? " (ratcheted)" : "";
  page += " | `";
  page += rule.field;
  page += "` | ";
  page += rule.summary;
  page += " |\n";
}

void add_row(std::string& page, const defaulters::Default& row) {
  page += "| `";
  page += row.id;
  page += "` | ";
  page += api::names(row.kind).name;
  page += row.on_update ? " | create, update | `" : " | create | `";
  page += row.field;
  page += "` | ";
  page += row.summary;
  page += " |\n";
}

}  // namespace

std::string rules_markdown() {
  std::string page =
      "# Rules\n\n"
      "<!-- Generated from validators/catalog.cpp and defaulters/catalog.cpp by `./dev docs`. "
      "-->\n\n"
      "Ids are stable: they stand at the end of every message, in metrics and in logs. `P` is\n"
      "`spec.services[NAME]` in a DynamoGraphDeployment and `spec` in a "
      "DynamoComponentDeployment.\n"
      "A ratcheted rule is stricter than the operator has been: on an update it says nothing of "
      "what\n"
      "the update did not change.\n\n"
      "## Validation\n\n"
      "| id | kinds | on | outcome | field | what must hold |\n"
      "|---|---|---|---|---|---|\n";
  for (const validators::Rule& rule : validators::catalog()) add_row(page, rule);
  page +=
      "\n## Defaulting\n\n"
      "| id | kind | on | field | what is set |\n"
      "|---|---|---|---|---|\n";
  for (const defaulters::Default& row : defaulters::catalog()) add_row(page, row);
  return page;
}

}  // namespace dynamo::admission
