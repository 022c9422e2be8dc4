#include <array>

#include "validators/catalog.hpp"
#include "validators/rendered/scaling/scaling.hpp"
#include "validators/rule_groups.hpp"

namespace dynamo::validators {
namespace {

using api::Kind;
using api::Operation;

constexpr SetOf<Operation> kAlways{Operation::kCreate, Operation::kUpdate};
constexpr SetOf<Operation> kOnUpdate{Operation::kUpdate};
constexpr SetOf<Kind> kGraph{Kind::kGraphDeployment};
constexpr SetOf<Kind> kServices{Kind::kGraphDeployment, Kind::kComponentDeployment};
constexpr SetOf<Kind> kScaled{Kind::kGraphDeployment, Kind::kScalingAdapter};
constexpr Severity kDeny = Severity::kDeny;
constexpr Severity kWarn = Severity::kWarn;
constexpr Ratchet kStricter = Ratchet::kYes;

// clang-format off
constexpr std::array kRules = std::to_array<Rule>({
    {"rolling.annotations", kServices, kAlways, kDeny, kStricter, &scaling::rolling_annotations,
     "P.annotations"},
    {"restart.request", kGraph, kOnUpdate, kWarn, kStricter, &scaling::restart_request,
     "spec.restart.id"},
    {"scale.zero", kGraph, kAlways, kDeny, kStricter, &scaling::zero_replicas,
     "P.replicas"},
    {"scale.adapter-replicas", kGraph, kOnUpdate, kWarn, kStricter, &scaling::adapter_replicas,
     "P.replicas"},
    {"dgdsa.target", kScaled, kAlways, kWarn, kStricter, &scaling::adapter_target,
     "spec.dgdRef"},
});
// clang-format on

}  // namespace

std::span<const Rule> scaling_rules() {
  return kRules;
}

}  // namespace dynamo::validators
