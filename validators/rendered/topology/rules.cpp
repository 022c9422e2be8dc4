#include <array>

#include "validators/catalog.hpp"
#include "validators/rendered/topology/topology.hpp"
#include "validators/rule_groups.hpp"

namespace dynamo::validators {
namespace {

using api::Kind;
using api::Operation;

constexpr SetOf<Operation> kAlways{Operation::kCreate, Operation::kUpdate};
constexpr SetOf<Operation> kOnUpdate{Operation::kUpdate};
constexpr SetOf<Kind> kGraph{Kind::kGraphDeployment};
constexpr SetOf<Kind> kComponent{Kind::kComponentDeployment};
constexpr SetOf<Kind> kServices{Kind::kGraphDeployment, Kind::kComponentDeployment};
constexpr Severity kDeny = Severity::kDeny;
constexpr Severity kWarn = Severity::kWarn;
constexpr Ratchet kStricter = Ratchet::kYes;

// clang-format off
constexpr std::array kRules = std::to_array<Rule>({
    {"dgd.backend.mismatch", kServices, kAlways, kDeny, kStricter, &topology::backend_mismatch,
     "P.extraPodSpec.mainContainer"},
    {"dgd.planner.targets", kGraph, kAlways, kWarn, kStricter, &topology::planner_targets,
     "spec.services"},
    {"dgd.disagg.role-flag", kServices, kAlways, kWarn, kStricter, &topology::role_flag,
     "P.extraPodSpec.mainContainer.args"},
    {"dgd.annotation.value", kServices, kAlways, kDeny, kStricter, &topology::annotation_value,
     "metadata.annotations"},
    {"dgd.update.pathway-toggle", kGraph, kOnUpdate, kWarn, kStricter, &topology::pathway_toggle,
     "metadata.annotations[nvidia.com/enable-grove]"},
    {"dgd.epp.topology", kGraph, kAlways, kDeny, kStricter, &topology::endpoint_picker_topology,
     "spec.services"},
    {"dgd.router.block-size", kGraph, kAlways, kWarn, kStricter, &topology::block_size,
     "spec.services"},
    {"dcd.standalone.incomplete", kComponent, kAlways, kDeny, kStricter, &topology::standalone_incomplete,
     "spec"},
    {"dcd.owned-edit", kComponent, kOnUpdate, kWarn, kStricter, &topology::owned_edit,
     "spec"},
});
// clang-format on

}  // namespace

std::span<const Rule> topology_rules() {
  return kRules;
}

}  // namespace dynamo::validators
