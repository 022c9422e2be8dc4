// What became of the severities of the catalogue in one place: the catalogue's own, or a policy's.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>

#include "validators/catalog.hpp"
#include "validators/report.hpp"

namespace dynamo::validators {

// More than the catalogue will ever have; checked where it is defined.
inline constexpr std::size_t kMaxRules = 256;

// A set of rules, by their place in the catalogue.
using RuleSet = std::bitset<kMaxRules>;

// The place of a rule in the catalogue. Precondition: it is of the catalogue.
inline std::size_t index_of(const Rule& rule) {
  return static_cast<std::size_t>(&rule - catalog().data());
}

// One severity per rule. A plain value, copied freely.
class Severities {
 public:
  Severities() {
    for (const Rule& rule : catalog()) of_[index_of(rule)] = rule.severity;
  }
  // Of the rule at that place in the catalogue.
  Severity at(std::size_t rule) const { return of_[rule]; }
  void set(std::size_t rule, Severity severity) { of_[rule] = severity; }

 private:
  std::array<Severity, kMaxRules> of_{};
};

// The catalogue's own.
const Severities& default_severities();

// Rules that deny what is not judged, or not in full: softened, each of them would be a way around
// all the others. No policy makes them weaker, and no exemption is one from them.
const RuleSet& unbending_rules();

}  // namespace dynamo::validators
