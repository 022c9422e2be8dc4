#include "validators/rule_groups.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <iterator>
#include <vector>

#include "validators/severities.hpp"

namespace dynamo::validators {
namespace {

// What is written, then services of it, then what will be made of it.
int phase(const Rule& rule) {
  if (std::holds_alternative<RuleOn<PlacedService>>(rule.function)) return 1;
  if (std::holds_alternative<PodRule>(rule.function)) return 2;
  return std::holds_alternative<RenderedRule>(rule.function) ? 2 : 0;
}

std::vector<Rule> put_together() {
  std::vector<Rule> rules;
  for (const int wanted : {0, 1, 2}) {
    for (const std::span<const Rule> group : rule_groups()) {
      std::ranges::copy_if(group, std::back_inserter(rules),
                           [wanted](const Rule& rule) { return phase(rule) == wanted; });
    }
  }
  assert(rules.size() <= kMaxRules);
  return rules;
}

}  // namespace

std::span<const std::span<const Rule>> rule_groups() {
  static const std::array groups{
      operator_rules(),  naming_rules(),     topology_rules(), storage_rules(), resources_rules(),
      multinode_rules(), network_rules(),    scaling_rules(),  pod_rules(),     model_rules(),
      request_rules(),   checkpoint_rules(), lookup_rules(),   advice_rules(),  policy_rules()};
  return groups;
}

std::span<const Rule> catalog() {
  static const std::vector<Rule> rules = put_together();
  return rules;
}

const Rule* find_rule(std::string_view id) {
  const std::span<const Rule> rules = catalog();
  const auto at = std::ranges::find(rules, id, &Rule::id);
  return at == rules.end() ? nullptr : &*at;
}

const Severities& default_severities() {
  static const Severities defaults;
  return defaults;
}

const RuleSet& unbending_rules() {
  static const RuleSet rules = [] {
    RuleSet set;
    for (const std::string_view id : {"type.mismatch", "dgd.services.limit", "pod.too-much"}) {
      set.set(index_of(*find_rule(id)));
    }
    return set;
  }();
  return rules;
}

}  // namespace dynamo::validators
