#include <array>

#include "validators/catalog.hpp"
#include "validators/rendered/resources/resources.hpp"
#include "validators/rule_groups.hpp"

namespace dynamo::validators {
namespace {

using api::Kind;
using api::Operation;

constexpr SetOf<Operation> kAlways{Operation::kCreate, Operation::kUpdate};
constexpr SetOf<Kind> kServices{Kind::kGraphDeployment, Kind::kComponentDeployment};
constexpr SetOf<Kind> kPods{Kind::kGraphDeployment, Kind::kComponentDeployment, Kind::kCheckpoint};
constexpr SetOf<Kind> kContainers{Kind::kGraphDeployment, Kind::kComponentDeployment,
                                  Kind::kCheckpoint, Kind::kGraphDeploymentRequest};
constexpr Severity kDeny = Severity::kDeny;
constexpr Severity kWarn = Severity::kWarn;
constexpr Ratchet kStricter = Ratchet::kYes;

// C is any container of a pod, or the profiling job of a request.
// clang-format off
constexpr std::array kRules = std::to_array<Rule>({
    {"res.gpu.requests-only", kServices, kAlways, kWarn, kStricter, &resources::gpu_requests_only,
     "P.resources.requests.gpu"},
    {"res.gpu.missing", kServices, kAlways, kWarn, kStricter, &resources::gpu_missing,
     "P.resources"},
    {"res.quantity.invalid", kContainers, kAlways, kDeny, kStricter, &resources::quantity_invalid,
     "P.resources, C.resources"},
    {"res.quantity.implausible", kContainers, kAlways, kWarn, kStricter, &resources::quantity_implausible,
     "P.resources, C.resources, E.volumes, E.resources, P.sharedMemory.size, spec.pvcs[i].size"},
    {"res.request-exceeds-limit", kContainers, kAlways, kDeny, kStricter, &resources::request_exceeds_limit,
     "P.resources, C.resources"},
    {"res.extended.rules", kContainers, kAlways, kDeny, kStricter, &resources::extended_rules,
     "P.resources, C.resources"},
    {"res.claims.unknown", kPods, kAlways, kDeny, kStricter, &resources::claims_unknown,
     "P.resources.claims, C.resources.claims, E.resourceClaims"},
    {"res.parallelism.exceeds-gpus", kServices, kAlways, kWarn, kStricter, &resources::parallelism_exceeds_gpus,
     "M.args"},
});
// clang-format on

}  // namespace

std::span<const Rule> resources_rules() {
  return kRules;
}

}  // namespace dynamo::validators
