#include "validators/rendered/policy/policy.hpp"

#include <algorithm>
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
constexpr SetOf<Kind> kReached{Kind::kGraphDeployment, Kind::kComponentDeployment};
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
    {"policy.service-account", kPods, kAlways, kDeny, kStricter, &policy::service_account,
     "P.extraPodSpec.serviceAccountName"},
    {"policy.host-path", kPods, kAlways, kDeny, kStricter, &policy::host_path,
     "P.extraPodSpec.volumes[N].hostPath"},
    {"policy.host-access", kPods, kAlways, kDeny, kStricter, &policy::host_access,
     "P.extraPodSpec.hostNetwork, P.extraPodSpec.hostPID, P.extraPodSpec.hostIPC, "
     "C.securityContext"},
    {"policy.ingress-host", kReached, kAlways, kDeny, kStricter, &policy::ingress_host,
     "P.ingress.host"},
    {"policy.istio-gateway", kReached, kAlways, kDeny, kStricter, &policy::istio_gateway,
     "P.ingress.virtualServiceGateway"},
});
// clang-format on

}  // namespace

std::span<const Rule> policy_rules() {
  return kRules;
}

bool limits_authors(std::string_view rule) {
  constexpr std::array<std::string_view, 5> kIds{"policy.service-account", "policy.host-path",
                                                 "policy.host-access", "policy.ingress-host",
                                                 "policy.istio-gateway"};
  return std::ranges::find(kIds, rule) != kIds.end();
}

}  // namespace dynamo::validators
