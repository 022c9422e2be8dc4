#include "validators/rule_groups.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
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
  static const std::vector<std::vector<Rule>> rules = [] {
    std::vector<std::vector<Rule>> all;
    for (const CollectedGroup& group : collected_groups()) {
      std::vector<Rule>& copies = all.emplace_back();
      for (const Rule* rule : group.rules) copies.push_back(*rule);
    }
    return all;
  }();
  static const std::vector<std::span<const Rule>> groups(rules.begin(), rules.end());
  return groups;
}

std::span<const Rule> rule_group(std::string_view name) {
  const auto at = std::ranges::find(collected_groups(), name, &CollectedGroup::name);
  if (at == collected_groups().end()) return {};
  return rule_groups()[static_cast<std::size_t>(at - collected_groups().begin())];
}

bool limits_authors(std::string_view rule) {
  constexpr std::array<std::string_view, 5> kIds{"policy.service-account", "policy.host-path",
                                                 "policy.host-access", "policy.ingress-host",
                                                 "policy.istio-gateway"};
  return std::ranges::find(kIds, rule) != kIds.end();
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
