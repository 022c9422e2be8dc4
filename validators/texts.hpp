// The documentation of each rule: its requirement, its reason, a wrong and a right example. Used by
// `kubectl dynamo explain` and docs/rules.md, never while a request is handled.
//
// The texts are written in validators/texts/*.md, one file per group of rules. The build generates
// these tables from them (validators/texts/generate.py).
#pragma once

#include <span>
#include <string_view>

namespace dynamo::validators {

// All views point to static storage. Each text except the first three ends with a line break and
// has no line over 100 columns.
//
// `wrong` and `right` are complete YAML manifests that can be applied unchanged. Two documents that
// begin with "# before" and "# after", separated by a `---` line, are an update. Comment lines give
// further inputs of the evaluation:
//
//   # user: jane@example.com                        the requesting user
//   # server: --restricted-namespace=team-a         a flag of the validating server
//   # cluster: serves grove.io                      or: does not serve; any API group of the facts
//   # cluster: Kubernetes 1.35
//   # cluster: has Secret hf-token                  or: has no; any kind of api::LookupKind, in the
//                                                   example's namespace
//   # cluster: has ClusterTopologyBinding gpus with zone,rack
//   # operator: of the first generation             or: of a later generation
//   # operator: replaced by dynamo-reconciler
//   # operator: finds services through etcd         or: through the API server
//   # operator: does not discover GPUs
//   # operator: runs without checkpoints
//   # policy: maxReplicasPerService: 4              a parameter of the policy
//
// Inputs without a line are unknown, except that inference.networking.k8s.io is served.
struct RuleText {
  std::string_view id;       // of a rule in catalog.hpp
  std::string_view since;    // the version of this project that introduced the rule
  std::string_view summary;  // one line: what must hold; no full stop
  // Two to five sentences: what fails later and where, why the rule denies or only warns, and what
  // to do.
  std::string_view explanation;
  std::string_view wrong;  // only this rule reports a finding
  std::string_view right;  // no rule reports a finding
};

// All texts, in one span per group of rules; exactly one text for each rule of the catalog. Safe
// from any thread.
std::span<const std::span<const RuleText>> text_groups();

// The text of that rule. Null if and only if find_rule() is null.
const RuleText* find_text(std::string_view id);

}  // namespace dynamo::validators
