// A rule: which objects it validates, how severe its findings are, and its function.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <variant>

#include "api/context.hpp"
#include "api/kind.hpp"
#include "api/kinds/objects.hpp"
#include "validators/rendering.hpp"
#include "validators/report.hpp"

namespace dynamo::validators {

namespace hub {
struct ObjectView;
struct ComponentView;
struct AlphaServiceView;
}  // namespace hub

// A service, its path and the object that contains it.
struct ServiceView : api::Service {
  ServiceView(json::Value spec, const api::FieldPath& at, const api::Object& of)
      : Service(spec), path(at), object(of) {}
  const api::FieldPath& path;  // spec.services[NAME], or spec
  const api::Object& object;   // the object that contains it
};

// A rule on one view of the written object: `now` is the new object, `old` the object before an
// update. It reads only its arguments, keeps no state, never blocks, and never throws because of
// the object's content.
template <typename View>
using RuleOn = void (*)(const api::Context&, const View& now, const View* old, Report&);

// A rule on rendered objects. It sees one state of the object; on an update, the ratchet drops the
// findings that the old object already had (Ratchet::kYes).
using PodRule = void (*)(const api::Context&, const RenderedPod&, Report&);
using RenderedRule = void (*)(const api::Context&, const RenderedObject&, Report&);

// A rule of later operators. It compares the states of an update itself, because the view has both.
template <typename View>
using HubRule = void (*)(const View&, Report&);

using RuleFunction =
    std::variant<RuleOn<api::Object>, RuleOn<api::GraphDeployment>, RuleOn<ServiceView>,
                 RuleOn<api::ComponentDeployment>, RuleOn<api::Model>,
                 RuleOn<api::GraphDeploymentRequest>, RuleOn<api::Checkpoint>,
                 RuleOn<api::ScalingAdapter>, PodRule, RenderedRule, HubRule<hub::ObjectView>,
                 HubRule<hub::ComponentView>, HubRule<hub::AlphaServiceView>>;

// Selects the view that a rule reads, in the order in which rules run.
enum class Phase : unsigned char {
  kWritten,   // the object as written
  kServices,  // each of its services
  kRendered,  // the objects that the operator would create from it
  kHub,  // the object in v1beta1, as later operators validate it: only hub::validate() runs these
};
inline constexpr std::array kPhases{Phase::kWritten, Phase::kServices, Phase::kRendered,
                                    Phase::kHub};

template <typename Function>
inline constexpr Phase kPhaseOf = Phase::kWritten;
template <>
inline constexpr Phase kPhaseOf<RuleOn<ServiceView>> = Phase::kServices;
template <>
inline constexpr Phase kPhaseOf<PodRule> = Phase::kRendered;
template <>
inline constexpr Phase kPhaseOf<RenderedRule> = Phase::kRendered;
template <typename View>
inline constexpr Phase kPhaseOf<HubRule<View>> = Phase::kHub;

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

// Sets of kinds and operations that rules share.
namespace kinds {
using enum api::Kind;
inline constexpr SetOf<api::Kind> kGraphs{kGraphDeployment};
inline constexpr SetOf<api::Kind> kComponents{kComponentDeployment};
inline constexpr SetOf<api::Kind> kModels{kModel};
inline constexpr SetOf<api::Kind> kRequests{kGraphDeploymentRequest};
inline constexpr SetOf<api::Kind> kCheckpoints{kCheckpoint};
inline constexpr SetOf<api::Kind> kScalingAdapters{kScalingAdapter};
inline constexpr SetOf<api::Kind> kServices{kGraphDeployment, kComponentDeployment};
inline constexpr SetOf<api::Kind> kPods{kGraphDeployment, kComponentDeployment, kCheckpoint};
inline constexpr SetOf<api::Kind> kPodsAndRequests{kGraphDeployment, kComponentDeployment,
                                                   kCheckpoint, kGraphDeploymentRequest};
inline constexpr SetOf<api::Kind> kAll{kGraphDeployment, kComponentDeployment,
                                       kModel,           kGraphDeploymentRequest,
                                       kCheckpoint,      kScalingAdapter};
}  // namespace kinds
inline constexpr SetOf<api::Operation> kOnWrite{api::Operation::kCreate, api::Operation::kUpdate};
inline constexpr SetOf<api::Operation> kOnUpdate{api::Operation::kUpdate};

// A rule is a constant `extern constexpr Rule kNameRule` next to its function. The build collects
// them (validators/texts/generate.py) in the order in which their texts are written.
struct Rule {
  std::string_view id;
  SetOf<api::Kind> kinds;
  SetOf<api::Operation> operations = kOnWrite;
  Severity severity = Severity::kDeny;
  Ratchet ratchet = Ratchet::kYes;
  RuleFunction function;
  std::string_view field;  // for documentation: the field it reads; texts.hpp has the rest
};

}  // namespace dynamo::validators
