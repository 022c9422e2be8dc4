#include "validators/rule_groups.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "validators/severities.hpp"

namespace dynamo::validators {
namespace {

// The rules, with their ids stored in one text.
class Catalog {
 public:
  explicit Catalog(std::vector<Rule> rules) : rules_(std::move(rules)) {
    std::size_t size = 0;
    for (const Rule& rule : rules_) size += rule.id.size();
    ids_.reserve(size);  // prevents reallocation, which would invalidate the views
    starts_.assign(size, kNoRule);
    for (std::size_t index = 0; index < rules_.size(); ++index) {
      std::string_view& id = rules_[index].id;
      const std::size_t start = ids_.size();
      starts_[start] = static_cast<std::uint16_t>(index);
      ids_ += id;
      id = std::string_view(ids_).substr(start);
    }
  }

  std::span<const Rule> rules() const { return rules_; }

  std::optional<std::size_t> find_index(std::string_view id) const {
    // Compares addresses as integers, because `id` may point into another text.
    const auto offset =
        reinterpret_cast<std::uintptr_t>(id.data()) - reinterpret_cast<std::uintptr_t>(ids_.data());
    if (offset >= starts_.size() || starts_[offset] == kNoRule) return std::nullopt;
    const std::size_t index = starts_[offset];
    return rules_[index].id.size() == id.size() ? std::optional(index) : std::nullopt;
  }

 private:
  static constexpr std::uint16_t kNoRule = std::numeric_limits<std::uint16_t>::max();

  std::vector<Rule> rules_;
  std::string ids_;
  std::vector<std::uint16_t>
      starts_;  // maps an offset in the text to the rule whose id begins there
};

std::vector<Rule> ordered_rules() {
  std::vector<Rule> rules;
  for (const Phase phase : kPhases) {
    for (const std::span<const Rule> group : rule_groups()) {
      std::ranges::copy_if(group, std::back_inserter(rules),
                           [phase](const Rule& rule) { return phase_of(rule.function) == phase; });
    }
  }
  assert(rules.size() <= kMaxRules);
  return rules;
}

const Catalog& indexed_catalog() {
  static const Catalog all(ordered_rules());
  return all;
}

}  // namespace

std::span<const std::span<const Rule>> rule_groups() {
  static const std::array groups{
      operator_rules(),  character_rules(), naming_rules(),     topology_rules(), storage_rules(),
      resources_rules(), multinode_rules(), network_rules(),    scaling_rules(),  pod_rules(),
      model_rules(),     request_rules(),   checkpoint_rules(), lookup_rules(),   advice_rules(),
      policy_rules(),    ignore_rules()};
  return groups;
}

std::span<const Rule> catalog() {
  return indexed_catalog().rules();
}

std::optional<std::size_t> find_rule_index(std::string_view rule) {
  if (const auto index = indexed_catalog().find_index(rule)) return index;
  const Rule* const found = find_rule(rule);
  return found == nullptr ? std::nullopt : std::optional(index_of(*found));
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

const RuleSet& protected_rules() {
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
