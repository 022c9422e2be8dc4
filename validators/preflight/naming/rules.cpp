#include <array>

#include "validators/catalog.hpp"
#include "validators/preflight/naming/naming.hpp"
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
     "spec.services[NAME]", "no two services make objects of one name"},
    {"dgd.services.name-dns", kGraph, kAlways, kDeny, kStricter, &naming::name_dns,
     "spec.services[NAME]", "the name of a service can stand in names and labels"},
    {"dgd.name.dot-or-digit", kServices, kAlways, kDeny, kStricter, &naming::dot_or_digit,
     "metadata.name", "a name that Services get has no dot and begins with a letter"},
    {"dgd.name.length.grove", kGraph, kAlways, kDeny, kStricter, &naming::grove_length,
     "metadata.name", "names of graph and service together fit into those that Grove makes"},
    {"dgd.name.length.label", kGraph, kAlways, kDeny, kStricter, &naming::label_length,
     "metadata.name", "labels made from namespace and name have at most 63 characters"},
    {"dgd.name.length.service", kServices, kAlways, kDeny, kStricter, &naming::service_length,
     "P", "names of Services have at most 63 characters"},
    {"dgd.name.length.lws", kServices, kAlways, kDeny, kStricter, &naming::leader_worker_set_length,
     "P", "names of LeaderWorkerSets have at most 51 characters"},
    {"dgd.component-type.unknown", kServices, kAlways, kDeny, kStricter, &naming::component_type_unknown,
     "P.componentType", "a component type is spelled as the operator knows it"},
    {"dgd.component-type.missing", kServices, kAlways, kWarn, kStricter, &naming::component_type_missing,
     "P.componentType", "a service says of which type it is"},
    {"job.name.length", kJobs, kAlways, kDeny, kStricter, &naming::job_length,
     "metadata.name", "names of jobs have at most 63 characters"},
    {"cross.namespace-scope", kAll, kAlways, kWarn, kStricter, &naming::namespace_scope,
     "metadata.namespace", "an operator looks after the namespace"},
});
// clang-format on

}  // namespace

std::span<const Rule> naming_rules() {
  return kRules;
}

}  // namespace dynamo::validators
