#include <array>

#include "validators/catalog.hpp"
#include "validators/rendered/checkpoint/checkpoint.hpp"
#include "validators/rule_groups.hpp"

namespace dynamo::validators {
namespace {

using api::Kind;
using api::Operation;

constexpr SetOf<Operation> kAlways{Operation::kCreate, Operation::kUpdate};
constexpr SetOf<Kind> kServices{Kind::kGraphDeployment, Kind::kComponentDeployment};
constexpr SetOf<Kind> kCheckpoints{Kind::kCheckpoint};
constexpr SetOf<Kind> kBoth{Kind::kGraphDeployment, Kind::kComponentDeployment, Kind::kCheckpoint};
constexpr Severity kWarn = Severity::kWarn;
constexpr Severity kOff = Severity::kOff;
constexpr Ratchet kStricter = Ratchet::kYes;
constexpr Ratchet kAlwaysWhole = Ratchet::kNo;

// P is spec.services[NAME] in a graph and spec in a component.
// clang-format off
constexpr std::array kRules = std::to_array<Rule>({
    {"ckpt.manual.no-label", kCheckpoints, kAlways, kWarn, kStricter, &checkpoints::hash_label,
     "metadata.labels[nvidia.com/checkpoint-hash]"},
    {"ckpt.manual.hash", kBoth, kAlways, kOff, kStricter, &checkpoints::hash_missing,
     "metadata.labels[nvidia.com/checkpoint-hash], P.checkpoint.identity"},
    {"ckpt.identity.mismatch", kBoth, kAlways, kWarn, kStricter, &checkpoints::identity_mismatch,
     "spec.identity, P.checkpoint.identity"},
    {"ckpt.unsupported", kServices, kAlways, kWarn, kStricter, &checkpoints::unsupported,
     "P.checkpoint.enabled"},
    {"ckpt.controller", kCheckpoints, kAlways, kWarn, kAlwaysWhole, &checkpoints::controller_missing,
     "kind"},
});
// clang-format on

}  // namespace

std::span<const Rule> checkpoint_rules() {
  return kRules;
}

}  // namespace dynamo::validators
