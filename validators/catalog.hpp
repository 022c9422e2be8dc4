// The catalogue: one row per rule. Ids are public and stable: they appear in causes, metrics, logs
// and documentation. A rule that is not in the table does not run.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "api/context.hpp"
#include "api/kind.hpp"
#include "api/kinds/objects.hpp"
#include "validators/rendering.hpp"
#include "validators/report.hpp"
#include "validators/rules/service.hpp"

namespace dynamo::validators {

// A rule judges one view: the object as it is to be, and on an update the object as it was. It
// reads nothing else than its arguments, keeps no state, never blocks and never throws on account
// of what an object holds.
template <typename View>
using RuleOn = void (*)(const api::Context&, const View& now, const View* old, Report&);

// A rule about what will be made of the object. It is asked about one state of the object only;
// what the state before the update has too is dropped for it (Ratchet::kYes).
using PodRule = void (*)(const api::Context&, const RenderedPod&, Report&);
using RenderedRule = void (*)(const api::Context&, const RenderedObject&, Report&);

using RuleFunction =
    std::variant<RuleOn<api::Object>, RuleOn<api::GraphDeployment>, RuleOn<PlacedService>,
                 RuleOn<api::ComponentDeployment>, RuleOn<api::Model>,
                 RuleOn<api::GraphDeploymentRequest>, RuleOn<api::Checkpoint>,
                 RuleOn<api::ScalingAdapter>, PodRule, RenderedRule>;

// What a rule is about, in the order in which rules run.
enum class Phase : unsigned char {
  kWritten,   // the object as it is written
  kServices,  // each of its services
  kRendered,  // what will be made of it
};
inline constexpr std::array kPhases{Phase::kWritten, Phase::kServices, Phase::kRendered};

template <typename Function>
inline constexpr Phase kPhaseOf = Phase::kWritten;
template <>
inline constexpr Phase kPhaseOf<RuleOn<PlacedService>> = Phase::kServices;
template <>
inline constexpr Phase kPhaseOf<PodRule> = Phase::kRendered;
template <>
inline constexpr Phase kPhaseOf<RenderedRule> = Phase::kRendered;

constexpr Phase phase_of(const RuleFunction& function) {
  return std::visit([]<typename Function>(Function) { return kPhaseOf<Function>; }, function);
}

// A set of kinds or of operations, as bits.
template <typename Item>
class SetOf {
 public:
  constexpr SetOf(std::initializer_list<Item> items) {
    for (const Item item : items) bits_ |= bit(item);
  }
  constexpr bool has(Item item) const { return (bits_ & bit(item)) != 0; }

 private:
  static constexpr unsigned bit(Item item) { return 1U << static_cast<unsigned>(item); }
  unsigned bits_ = 0;
};

// Whether a rule is stricter than the operator has been: then an update is judged only on what it
// changes, so that an object which was admitted before stays editable.
enum class Ratchet : unsigned char { kNo, kYes };

struct Rule {
  std::string_view id;
  SetOf<api::Kind> kinds;
  SetOf<api::Operation> operations;
  Severity severity;
  Ratchet ratchet;
  RuleFunction function;
  std::string_view field;  // for documentation: where it looks; the rest is in texts.hpp
};

// All rules, in the order in which they run, which decides what is said first of one field: those
// about the object as it is written, then those about what will be made of it. Rules of services
// stand together.
std::span<const Rule> catalog();

// The place in the catalogue of the rule that a finding names. The ids of the catalogue lie one
// behind the other in one text, so where the id of a finding lies says which rule it is; any other
// view is searched for. Nothing for what is no rule.
std::optional<std::size_t> place_of(std::string_view rule);

// The rule of that id, or null.
const Rule* find_rule(std::string_view id);

}  // namespace dynamo::validators
