#include <array>

#include "validators/catalog.hpp"
#include "validators/preflight/topology/topology.hpp"
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
     "P.extraPodSpec.mainContainer", "a service runs the engine that backendFramework names"},
    {"dgd.planner.targets", kGraph, kAlways, kWarn, kStricter, &topology::planner_targets,
     "spec.services", "a planner finds one service for prefill and one for decode, with GPUs and a model"},
    {"dgd.disagg.role-flag", kServices, kAlways, kWarn, kStricter, &topology::role_flag,
     "P.extraPodSpec.mainContainer.args", "a command line says the role that subComponentType says"},
    {"dgd.annotation.value", kServices, kAlways, kDeny, kStricter, &topology::annotation_value,
     "metadata.annotations", "annotations for the operator have keys and values that it knows"},
    {"dgd.update.pathway-toggle", kGraph, kOnUpdate, kWarn, kStricter, &topology::pathway_toggle,
     "metadata.annotations[nvidia.com/enable-grove]", "a graph that exists is not moved between Grove and Deployments"},
    {"dgd.epp.topology", kGraph, kAlways, kDeny, kStricter, &topology::endpoint_picker_topology,
     "spec.services", "a graph has one endpoint picker, whose profiles name its plugins"},
    {"dgd.router.block-size", kGraph, kAlways, kWarn, kStricter, &topology::block_size,
     "spec.services", "services that route by KV cache have blocks of one size"},
    {"dcd.standalone.incomplete", kComponent, kAlways, kDeny, kStricter, &topology::standalone_incomplete,
     "spec", "a component without a graph says where it belongs"},
    {"dcd.owned-edit", kComponent, kOnUpdate, kWarn, kStricter, &topology::owned_edit,
     "spec", "a component that a graph owns is changed through the graph"},
});
// clang-format on

}  // namespace

std::span<const Rule> topology_rules() {
  return kRules;
}

}  // namespace dynamo::validators
