#include <array>

#include "validators/catalog.hpp"
#include "validators/rendered/lookup/lookup.hpp"
#include "validators/rule_groups.hpp"

namespace dynamo::validators {
namespace {

using api::Kind;
using api::Operation;

constexpr SetOf<Operation> kAlways{Operation::kCreate, Operation::kUpdate};
constexpr SetOf<Kind> kAdapter{Kind::kScalingAdapter};
constexpr SetOf<Kind> kRequest{Kind::kGraphDeploymentRequest};
constexpr SetOf<Kind> kPodsAndRequest{Kind::kGraphDeployment, Kind::kComponentDeployment,
                                      Kind::kCheckpoint, Kind::kGraphDeploymentRequest};
constexpr Severity kWarn = Severity::kWarn;
constexpr Ratchet kStricter = Ratchet::kYes;

// clang-format off
constexpr std::array kRules = std::to_array<Rule>({
    {"dgdsa.ref.exists", kAdapter, kAlways, kWarn, kStricter, &lookup::graph_of_adapter,
     "spec.dgdRef.name"},
    {"cross.pvc-missing", kPodsAndRequest, kAlways, kWarn, kStricter, &lookup::claims,
     "spec.pvcs[i].name, P.volumeMounts[i].name, E.volumes[i]"},
    {"cross.secret-missing", kPodsAndRequest, kAlways, kWarn, kStricter, &lookup::secrets,
     "P.envFromSecret, C.env, C.envFrom, E.volumes, E.imagePullSecrets"},
    {"cross.configmap-missing", kPodsAndRequest, kAlways, kWarn, kStricter, &lookup::config_maps,
     "C.env, C.envFrom, E.volumes, P.eppConfig.configMapRef"},
    {"cross.dgdr-dgd-exists", kRequest, kAlways, kWarn, kStricter, &lookup::graph_of_request,
     "spec.deploymentOverrides.name"},
});
// clang-format on

}  // namespace

std::span<const Rule> lookup_rules() {
  return kRules;
}

}  // namespace dynamo::validators
