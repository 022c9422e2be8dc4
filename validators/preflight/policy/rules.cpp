#include "validators/preflight/policy/policy.hpp"

#include <array>

#include "validators/catalog.hpp"
#include "validators/rule_groups.hpp"

namespace dynamo::validators {
namespace {

using api::Kind;
using api::Operation;

constexpr SetOf<Operation> kAlways{Operation::kCreate, Operation::kUpdate};
constexpr SetOf<Kind> kPods{Kind::kGraphDeployment, Kind::kComponentDeployment, Kind::kCheckpoint};
constexpr SetOf<Kind> kImages{Kind::kGraphDeployment, Kind::kComponentDeployment, Kind::kCheckpoint,
                              Kind::kGraphDeploymentRequest};
constexpr SetOf<Kind> kScaled{Kind::kGraphDeployment, Kind::kComponentDeployment,
                              Kind::kScalingAdapter};
constexpr SetOf<Kind> kModel{Kind::kModel};
constexpr Severity kDeny = Severity::kDeny;
constexpr Ratchet kStricter = Ratchet::kYes;

// clang-format off
constexpr std::array kRules = std::to_array<Rule>({
    {"policy.replicas", kScaled, kAlways, kDeny, kStricter, &policy::most_replicas,
     "P.replicas"},
    {"policy.lora-scheme", kModel, kAlways, kDeny, kStricter, &policy::lora_scheme,
     "spec.source.uri"},
    {"policy.registry", kImages, kAlways, kDeny, kStricter, &policy::allowed_registry,
     "C.image, spec.profilingConfig.profilerImage, spec.deploymentOverrides.workersImage"},
    {"policy.resource-limits", kPods, kAlways, kDeny, kStricter, &policy::resource_limits,
     "P.resources.limits"},
});
// clang-format on

}  // namespace

std::span<const Rule> policy_rules() {
  return kRules;
}

}  // namespace dynamo::validators
