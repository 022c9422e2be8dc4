// What is said of a rule: what must hold, why it exists, an object that breaks it and one that does
// not. For people who ask (`kubectl dynamo explain`, docs/rules.md), never on a request's way.
//
// What `explain RULE-ID` prints:
//
//   const RuleText* const text = find_text(id);   // null when and only when find_rule(id) is
//   out << text->id << ": " << text->summary << "\n\n" << text->explanation
//       << "\nWrong:\n\n" << text->wrong << "\nRight:\n\n" << text->right;
//
// The texts stand in validators/texts/*.md, one file per group of rules, and become these tables
// when we are built (validators/texts/generate.py).
#pragma once

#include <span>
#include <string_view>

namespace dynamo::validators {

// All views are into static storage; each text but the first three ends with a line break and has
// no line over 100 columns.
//
// `wrong` and `right` are whole manifests in YAML that can be applied as they stand. Two documents,
// "# before" and "# after" with a line `---` between them, are an update. Comment lines say what
// else the verdict depends on:
//
//   # user: jane@example.com                        who asks
//   # server: --restricted-namespace=team-a         a flag of the server that judges
//   # cluster: serves grove.io                      or: does not serve; any API group of the facts
//   # cluster: Kubernetes 1.35
//   # cluster: has Secret hf-token                  or: has no; any kind of api::LookedUp, in the
//                                                   example's namespace
//   # operator: of the first generation             or: of a later generation
//   # operator: replaced by dynamo-reconciler
//   # operator: finds services through etcd         or: through the API server
//   # policy: maxReplicasPerService: 4              a parameter of the policy
//
// What no line tells is unknown, but that inference.networking.k8s.io is served.
struct RuleText {
  std::string_view id;       // of a rule in catalog.hpp
  std::string_view since;    // the version of this project that brought the rule
  std::string_view summary;  // one line: what must hold; no full stop
  // Two to five sentences: what goes wrong later and where, why the rule denies or only warns,
  // and what to do.
  std::string_view explanation;
  std::string_view wrong;  // this rule speaks, and no other
  std::string_view right;  // no rule speaks
};

// Every text, in one span per group of rules; exactly one for each rule of the catalogue. Safe from
// any thread.
std::span<const std::span<const RuleText>> text_groups();

// The text of that rule, or null.
const RuleText* find_text(std::string_view id);

}  // namespace dynamo::validators
