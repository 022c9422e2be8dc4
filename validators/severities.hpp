// The effective severity of each rule: the catalog's default or a policy's override.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>

#include "validators/catalog.hpp"
#include "validators/report.hpp"

namespace dynamo::validators {

// An upper bound of the catalog's size, checked at the catalog's definition.
inline constexpr std::size_t kMaxRules = 256;

// A set of rules, by their index in the catalog.
using RuleSet = std::bitset<kMaxRules>;

// The index of a rule in the catalog. Precondition: `rule` is a row of the catalog.
inline std::size_t index_of(const Rule& rule) {
  return static_cast<std::size_t>(&rule - catalog().data());
}

// One severity per rule. A plain value, copied freely.
class Severities {
 public:
  Severities() {
    for (const Rule& rule : catalog()) of_[index_of(rule)] = rule.severity;
  }
  // The severity of the rule at that index of the catalog.
  Severity at(std::size_t rule) const { return of_[rule]; }
  void set(std::size_t rule, Severity severity) { of_[rule] = severity; }
  // Lowers each severity to that of `most`, where it is above.
  void limit_to(const Severities& most) {
    for (std::size_t rule = 0; rule < kMaxRules; ++rule) {
      of_[rule] = std::min(of_[rule], most.of_[rule]);
    }
  }

 private:
  std::array<Severity, kMaxRules> of_{};
};

// The catalog's defaults.
const Severities& default_severities();

// Rules that deny objects which could not be validated completely. Weakening one of them would
// bypass all others, so no policy weakens them and no exemption applies to them.
const RuleSet& protected_rules();

}  // namespace dynamo::validators
