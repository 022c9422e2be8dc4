#include "admission/rules_page.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "api/kind.hpp"
#include "defaulters/catalog.hpp"
#include "defaulters/texts.hpp"
#include "schema/catalog.hpp"
#include "validators/catalog.hpp"
#include "validators/operator_profile.hpp"
#include "validators/rule_groups.hpp"
#include "validators/texts.hpp"

namespace dynamo::admission {
namespace {

constexpr std::string_view kIntroduction =
    R"(# Rules

<!-- Generated from the catalogs of validators/, defaulters/ and src/schema by `./dev docs`. -->

Rule ids are stable. They appear at the end of every message, in metrics and in logs. Each id
links to its section on the page of its group.

A ratcheted rule is stricter than the operator was. On an update it ignores violations that the
object already had.

The verdict can depend on the generation of the operator, so a rule has three columns. `first` is
the generation released with v1alpha1, and `later` is any newer one. `unknown` applies without
`--operator-generation`: the rule denies an object that fails with every generation, and warns
about an object that fails with only one. The columns show the verdict for the rule's wrong
example; its section lists the other cases whose verdict depends on the operator.

)";

// The introduction of each group's page.
constexpr std::string_view kHowToRead =
    R"(In field paths, `SERVICE` is `spec.services[NAME]` of a DynamoGraphDeployment or `spec` of a
DynamoComponentDeployment. `COMPONENT` is the same in v1beta1: `spec.components[i]` or `spec`.
`CONTAINER` is any container of a pod, including the pod of a checkpoint's Job.

The examples are complete manifests. Two documents, `before` and `after`, show an update. If the
verdict depends on the user of the request (`user`), on the server's flags (`server`) or on the
cluster (`cluster`), a comment states it.
)";

// A page shows one group of rules, or only its rules whose ids begin with these words.
struct GroupPage {
  std::string_view file;
  std::string_view title;
  std::string_view group;                      // see validators::rule_group()
  std::array<std::string_view, 3> words = {};  // none: all

  bool shows(const validators::Rule& rule) const {
    const std::string_view word = rule.id.substr(0, rule.id.find('.'));
    return words[0].empty() || std::ranges::find(words, word) != words.end();
  }
};
// clang-format off
constexpr std::array<GroupPage, 26> kGroups{{
    {"operator-graphs", "Fields of graphs, and types everywhere", "operator", {"type", "dgd"}},
    {"operator-services", "Fields of services and components", "operator", {"service", "dcd", "epp"}},
    {"operator-models", "Fields of models", "operator", {"dm"}},
    {"operator-requests", "Fields of requests", "operator", {"dgdr"}},
    {"operator-checkpoints", "Fields of checkpoints", "operator", {"ckpt"}},
    {"operator-scaling-adapters", "Fields of scaling adapters", "operator", {"dgdsa"}},
    {"text", "Characters that deceive the reader", "characters"},
    {"naming", "Names of graphs and services", "naming"},
    {"topology", "How services fit together", "topology"},
    {"storage", "Volumes, mounts and claims", "storage"},
    {"resources", "CPU, memory, GPUs and devices", "resources"},
    {"multinode", "Services of several nodes", "multinode"},
    {"network", "How pods are reached and find each other", "network"},
    {"scaling", "Replicas and how they are replaced", "scaling"},
    {"pod", "Rendered pods", "pod"},
    {"model", "Models and the workers that serve them", "model"},
    {"request", "Causes of failed profiling jobs", "request"},
    {"checkpoint", "Checkpoints", "checkpoint"},
    {"lookup", "Dangling references", "lookup"},
    {"advice", "Advice, off unless a policy switches it on", "advice"},
    {"policy", "Policy requirements", "policy"},
    {"ignore", "Ignored findings", "ignore"},
    {"later", "Later operators: graphs and components in v1beta1", "later"},
    {"later-alpha", "Later operators: fields of v1alpha1 only", "lateralpha"},
    {"later-updates", "Later operators: updates of graphs and components", "laterupdates"},
    {"later-others", "Later operators: requests and checkpoints", "laterothers"},
}};
// clang-format on
constexpr std::string_view kDefaultsFile = "defaults";

constexpr std::string_view kSchemaHead =
    R"(
## Schema

The API server performs these checks before it calls a webhook, and `kubectl dynamo` performs them
without an API server. Checks of stage `decode` run while the object is decoded with strict field
validation. Checks of stage `schema` follow from the definitions in [deploy/crds](../deploy/crds).

| id | stage | what must hold | why, and what to do |
|---|---|---|---|
)";

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

std::string_view operations_of(const defaulters::DefaultInfo& row) {
  return row.on_update ? "create, update" : "create";
}

std::string outcome_cells(const validators::Rule& rule) {
  const validators::Outcomes outcomes = validators::outcomes_of(rule);
  std::string text(to_string(outcomes.first));
  text.append(" | ").append(to_string(outcomes.unknown));
  return text.append(" | ").append(to_string(outcomes.later));
}

std::string outcome_of(const validators::Rule& rule) {
  std::string text(to_string(rule.severity));
  if (rule.ratchet == validators::Ratchet::kYes) text += " (ratcheted)";
  return text;
}

// Appends the texts.
template <typename... Texts>
void add(std::string& page, const Texts&... texts) {
  (page.append(texts), ...);
}

// Links from the index to the section of an id.
std::string link_to(std::string_view file, std::string_view id) {
  std::string link("[`");
  add(link, id, "`](rules/", file, ".md#", section_anchor(id), ")");
  return link;
}

void add_row(std::string& page, std::string_view file, const validators::Rule& rule) {
  const validators::RuleText* const text = validators::find_text(rule.id);
  add(page, "| ", link_to(file, rule.id), " | ", kinds_of(rule), " | ", operations_of(rule),
      rule.ratchet == validators::Ratchet::kYes ? " (ratcheted) | " : " | ", outcome_cells(rule),
      " | ", text == nullptr ? "" : text->summary, " |\n");
}

void add_row(std::string& page, const defaulters::DefaultInfo& row) {
  add(page, "| ", link_to(kDefaultsFile, row.id), " | ", api::names(row.kind).name, " | ",
      operations_of(row), " | `", row.field, "` | ", row.summary, " |\n");
}

void add_row(std::string& page, const schema::CheckText& check) {
  add(page, "| `", check.id, "` | ", schema::name(check.stage), " | ", check.summary, " | ",
      check.explanation, " |\n");
}

void add_example(std::string& page, std::string_view name, std::string_view yaml) {
  add(page, "\n", name, ":\n\n```yaml\n", yaml, "```\n");
}

void add_section(std::string& page, const validators::Rule& rule) {
  const validators::RuleText* const text = validators::find_text(rule.id);
  add(page, "\n## ", rule.id, "\n\n");
  if (text != nullptr) add(page, "- what must hold: ", text->summary, "\n");
  add(page, "- field: `", spelt_out(rule.field), "`\n");
  add(page, "- kinds: ", kinds_of(rule), "\n");
  add(page, "- on: ", operations_of(rule), "\n");
  add(page, "- outcome: ", outcome_of(rule), "\n");
  for (const validators::BehaviourRow& row : validators::operator_behaviours()) {
    if (row.rule != rule.id) continue;
    add(page, "- by operator: ", row.what, ": first ", to_string(row.first), ", unknown ",
        to_string(row.unknown), ", later ", to_string(row.later), "\n");
  }
  if (text == nullptr) return;  // not written yet; a test reports it
  add(page, "- since: ", text->since, "\n\n", text->explanation);
  add_example(page, "Wrong", text->wrong);
  add_example(page, "Right", text->right);
}

void add_section(std::string& page, const defaulters::DefaultInfo& row) {
  const defaulters::DefaultText* const text = defaulters::find_text(row.id);
  add(page, "\n## ", row.id, "\n\n");
  add(page, "- what is set: ", row.summary, "\n");
  add(page, "- field: `", row.field, "`\n");
  add(page, "- kind: ", api::names(row.kind).name, "\n");
  add(page, "- on: ", operations_of(row), "\n");
  if (text == nullptr) return;
  add(page, "- since: ", text->since, "\n\n", text->explanation);
  add_example(page, "What is created", text->before);
  add_example(page, "What is stored", text->after);
}

constexpr std::string_view kGeneratedPage =
    "\n\n<!-- Generated from the catalogs of validators/ and defaulters/ by `./dev docs`. -->\n\n"
    "[All rules](../rules.md).\n";

std::string index_page() {
  std::string page(kIntroduction);
  page += "## Validation\n";
  for (const GroupPage& group : kGroups) {
    add(page, "\n### [", group.title, "](rules/", group.file, ".md)\n\n",
        "| id | kinds | on | first | unknown | later | what must hold |\n"
        "|---|---|---|---|---|---|---|\n");
    for (const validators::Rule& rule : validators::rule_group(group.group)) {
      if (group.shows(rule)) add_row(page, group.file, rule);
    }
  }
  page +=
      "\n## Defaulting\n\n"
      "| id | kind | on | field | what is set |\n"
      "|---|---|---|---|---|\n";
  for (const defaulters::Default& row : defaulters::catalog()) add_row(page, row);
  for (const defaulters::DefaultInfo& row : defaulters::later_catalog()) add_row(page, row);
  page += kSchemaHead;
  for (const schema::CheckText& check : schema::catalog()) add_row(page, check);
  return page;
}

std::string group_page(const GroupPage& group) {
  std::string page;
  add(page, "# ", group.title, kGeneratedPage, kHowToRead);
  for (const validators::Rule& rule : validators::rule_group(group.group)) {
    if (group.shows(rule)) add_section(page, rule);
  }
  return page;
}

std::string defaults_page() {
  std::string page;
  add(page, "# Defaults", kGeneratedPage);
  for (const defaulters::Default& row : defaulters::catalog()) add_section(page, row);
  for (const defaulters::DefaultInfo& row : defaulters::later_catalog()) add_section(page, row);
  return page;
}

std::string_view spelt_out_root(std::string_view root) {
  if (root == "P") return "SERVICE";
  if (root == "E") return "SERVICE.extraPodSpec";
  if (root == "M") return "SERVICE.extraPodSpec.mainContainer";
  if (root == "H") return "COMPONENT";
  return root == "C" ? "CONTAINER" : root;
}

}  // namespace

std::string spelt_out(std::string_view fields) {
  std::string text;
  while (!fields.empty()) {
    const std::string_view root = fields.substr(0, fields.find_first_of("., "));
    const std::size_t end = std::min(fields.find(", "), fields.size());
    text.append(spelt_out_root(root)).append(fields.substr(root.size(), end - root.size()));
    fields.remove_prefix(end);
    if (fields.empty()) break;
    text += ", ";
    fields.remove_prefix(2);
  }
  return text;
}

std::string section_anchor(std::string_view id) {
  std::string anchor(id);
  std::erase(anchor, '.');
  return anchor;
}

std::vector<RulesPage> rules_pages() {
  std::vector<RulesPage> pages{{"rules.md", index_page()}};
  for (const GroupPage& group : kGroups) {
    pages.push_back({"rules/" + std::string(group.file) + ".md", group_page(group)});
  }
  pages.push_back({"rules/" + std::string(kDefaultsFile) + ".md", defaults_page()});
  return pages;
}

}  // namespace dynamo::admission
