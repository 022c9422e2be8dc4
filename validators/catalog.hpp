// The rule catalog: one row per rule. Ids are public and stable: they appear in causes, metrics,
// logs and documentation. Only rules in this table run.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>

#include "api/context.hpp"
#include "api/kind.hpp"
#include "api/kinds/objects.hpp"
#include "validators/rendering.hpp"
#include "validators/report.hpp"
#include "validators/rules/service.hpp"

namespace dynamo::validators {

// A rule on one view of the written object: `now` is the new object, `old` the object before an
// update. It reads only its arguments, keeps no state, never blocks, and never throws because of
// the object's content.
template <typename View>
using RuleOn = void (*)(const api::Context&, const View& now, const View* old, Report&);

// A rule on rendered objects. It sees one state of the object; on an update, the ratchet drops the
// findings that the old object already had (Ratchet::kYes).
using PodRule = void (*)(const api::Context&, const RenderedPod&, Report&);
using RenderedRule = void (*)(const api::Context&, const RenderedObject&, Report&);

using RuleFunction =
    std::variant<RuleOn<api::Object>, RuleOn<api::GraphDeployment>, RuleOn<ServiceView>,
                 RuleOn<api::ComponentDeployment>, RuleOn<api::Model>,
                 RuleOn<api::GraphDeploymentRequest>, RuleOn<api::Checkpoint>,
                 RuleOn<api::ScalingAdapter>, PodRule, RenderedRule>;

// Selects the view that a rule reads, in the order in which rules run.
enum class Phase : unsigned char {
  kWritten,   // the object as written
  kServices,  // each of its services
  kRendered,  // the objects that the operator would create from it
};
inline constexpr std::array kPhases{Phase::kWritten, Phase::kServices, Phase::kRendered};

template <typename Function>
inline constexpr Phase kPhaseOf = Phase::kWritten;
template <>
inline constexpr Phase kPhaseOf<RuleOn<ServiceView>> = Phase::kServices;
template <>
inline constexpr Phase kPhaseOf<PodRule> = Phase::kRendered;
template <>
inline constexpr Phase kPhaseOf<RenderedRule> = Phase::kRendered;

// By index of the alternative: std::visit would be instantiated in every source with rules.
template <typename... Functions>
constexpr std::array<Phase, sizeof...(Functions)> phases_of(
    std::type_identity<std::variant<Functions...>>) {
  return {kPhaseOf<Functions>...};
}

constexpr Phase phase_of(const RuleFunction& function) {
  constexpr auto kPhaseOfAlternative = phases_of(std::type_identity<RuleFunction>{});
  return kPhaseOfAlternative[function.index()];
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

// Whether a rule is stricter than the operator was. If so, an update reports only findings that it
// introduces, so that an object which was admitted before stays editable.
enum class Ratchet : unsigned char { kNo, kYes };

struct Rule {
  std::string_view id;
  SetOf<api::Kind> kinds;
  SetOf<api::Operation> operations;
  Severity severity;
  Ratchet ratchet;
  RuleFunction function;
  std::string_view field;  // for documentation: the field it reads; texts.hpp has the rest
};

// All rules, in the order in which they run: first the rules on the written object, then those on
// rendered objects. Rules on services are consecutive. The order decides which finding comes first
// at a field.
std::span<const Rule> catalog();

// The index in the catalog of the rule that a finding names; nullopt if it is not a rule. The ids
// of the catalog are stored in one contiguous text, so the address of a finding's id identifies
// its rule. Any other view is searched for.
std::optional<std::size_t> find_rule_index(std::string_view rule);

// The rule with that id, or null.
const Rule* find_rule(std::string_view id);

}  // namespace dynamo::validators
