#include <array>

#include "validators/catalog.hpp"
#include "validators/rendered/advice/advice.hpp"
#include "validators/rule_groups.hpp"

namespace dynamo::validators {
namespace {

using api::Kind;
using api::Operation;
using Kinds = SetOf<Kind>;

constexpr SetOf<Operation> kAlways{Operation::kCreate, Operation::kUpdate};
constexpr Kinds kGraph{Kind::kGraphDeployment};
constexpr Kinds kServices{Kind::kGraphDeployment, Kind::kComponentDeployment};
constexpr Kinds kPods{Kind::kGraphDeployment, Kind::kComponentDeployment, Kind::kCheckpoint};
constexpr Severity kOff = Severity::kOff;
constexpr Ratchet kStricter = Ratchet::kYes;

// P is spec.services[NAME] in a graph and spec in a component; E is its extraPodSpec, C any
// container of a pod.
// clang-format off
constexpr std::array kRules = std::to_array<Rule>({
    {"dgd.frontend.missing", kGraph, kAlways, kOff, kStricter, &advice::no_frontend,
     "spec.services"},
    {"storage.pvc.unused", kGraph, kAlways, kOff, kStricter, &advice::unused_claim,
     "spec.pvcs[i].name"},
    {"storage.shm.implicit", kServices, kAlways, kOff, kStricter, &advice::implicit_shared_memory,
     "P.sharedMemory"},
    {"pod.labels.dropped", kGraph, kAlways, kOff, kStricter, &advice::dropped_labels,
     "P.labels"},
    {"pod.image.floating-tag", kPods, kAlways, kOff, kStricter, &advice::floating_tag,
     "C.image"},
    {"pod.placeholder", kPods, kAlways, kOff, kStricter, &advice::placeholder,
     "C.command, C.args, C.env"},
    {"pod.scheduling.component-label", kServices, kAlways, kOff, kStricter, &advice::component_selector,
     "E.affinity, E.topologySpreadConstraints"},
});
// clang-format on

}  // namespace

std::span<const Rule> advice_rules() {
  return kRules;
}

}  // namespace dynamo::validators
