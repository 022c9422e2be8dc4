#include <array>

#include "validators/catalog.hpp"
#include "validators/preflight/lookup/lookup.hpp"
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
     "spec.dgdRef.name", "an adapter scales a graph that exists"},
    {"cross.pvc-missing", kPodsAndRequest, kAlways, kWarn, kStricter, &lookup::claims,
     "spec.pvcs[i].name, P.volumeMounts[i].name, E.volumes[i]",
     "a claim that pods mount exists, or the graph creates it"},
    {"cross.secret-missing", kPodsAndRequest, kAlways, kWarn, kStricter, &lookup::secrets,
     "P.envFromSecret, C.env, C.envFrom, E.volumes, E.imagePullSecrets", "a Secret that pods read exists"},
    {"cross.configmap-missing", kPodsAndRequest, kAlways, kWarn, kStricter, &lookup::config_maps,
     "C.env, C.envFrom, E.volumes, P.eppConfig.configMapRef", "a ConfigMap that pods read exists"},
    {"cross.dgdr-dgd-exists", kRequest, kAlways, kWarn, kStricter, &lookup::graph_of_request,
     "spec.deploymentOverrides.name", "a request makes a graph of its own"},
});
// clang-format on

}  // namespace

std::span<const Rule> lookup_rules() {
  return kRules;
}

}  // namespace dynamo::validators
