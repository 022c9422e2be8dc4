#include <array>

#include "validators/catalog.hpp"
#include "validators/rendered/naming/naming.hpp"
#include "validators/rule_groups.hpp"

namespace dynamo::validators {
namespace {

using api::Kind;
using api::Operation;

constexpr SetOf<Operation> kAlways{Operation::kCreate, Operation::kUpdate};
constexpr SetOf<Kind> kGraph{Kind::kGraphDeployment};
constexpr SetOf<Kind> kServices{Kind::kGraphDeployment, Kind::kComponentDeployment};
constexpr SetOf<Kind> kJobs{Kind::kGraphDeploymentRequest, Kind::kCheckpoint};
constexpr SetOf<Kind> kAll{
    Kind::kGraphDeployment, Kind::kComponentDeployment, Kind::kGraphDeploymentRequest,
    Kind::kModel,           Kind::kCheckpoint,          Kind::kScalingAdapter};
constexpr Severity kDeny = Severity::kDeny;
constexpr Severity kWarn = Severity::kWarn;
constexpr Ratchet kStricter = Ratchet::kYes;

// clang-format off
constexpr std::array kRules = std::to_array<Rule>({
    {"dgd.services.name-collision", kGraph, kAlways, kDeny, kStricter, &naming::name_collision,
     "spec.services[NAME]"},
    {"dgd.services.name-dns", kGraph, kAlways, kDeny, kStricter, &naming::name_dns,
     "spec.services[NAME]"},
    {"dgd.name.dot-or-digit", kServices, kAlways, kDeny, kStricter, &naming::dot_or_digit,
     "metadata.name"},
    {"dgd.name.length.grove", kGraph, kAlways, kDeny, kStricter, &naming::grove_length,
     "metadata.name"},
    {"dgd.name.length.label", kGraph, kAlways, kDeny, kStricter, &naming::label_length,
     "metadata.name"},
    {"dgd.name.length.service", kServices, kAlways, kDeny, kStricter, &naming::service_length,
     "P"},
    {"dgd.name.length.lws", kServices, kAlways, kDeny, kStricter, &naming::leader_worker_set_length,
     "P"},
    {"dgd.component-type.unknown", kServices, kAlways, kDeny, kStricter, &naming::component_type_unknown,
     "P.componentType"},
    {"dgd.component-type.missing", kServices, kAlways, kWarn, kStricter, &naming::component_type_missing,
     "P.componentType"},
    {"job.name.length", kJobs, kAlways, kDeny, kStricter, &naming::job_length,
     "metadata.name"},
    {"cross.namespace-scope", kAll, kAlways, kWarn, kStricter, &naming::namespace_scope,
     "metadata.namespace"},
});
// clang-format on

}  // namespace

std::span<const Rule> naming_rules() {
  return kRules;
}

}  // namespace dynamo::validators
