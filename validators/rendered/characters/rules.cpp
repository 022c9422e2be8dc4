#include <array>

#include "validators/catalog.hpp"
#include "validators/rendered/characters/characters.hpp"
#include "validators/rule_groups.hpp"

namespace dynamo::validators {
namespace {

using api::Kind;
using api::Operation;

constexpr SetOf<Operation> kAlways{Operation::kCreate, Operation::kUpdate};
constexpr SetOf<Kind> kAll{Kind::kGraphDeployment, Kind::kComponentDeployment,
                           Kind::kModel,           Kind::kGraphDeploymentRequest,
                           Kind::kCheckpoint,      Kind::kScalingAdapter};
constexpr Severity kWarn = Severity::kWarn;
constexpr Ratchet kStricter = Ratchet::kYes;

// clang-format off
constexpr std::array kRules = std::to_array<Rule>({
    {"text.invisible", kAll, kAlways, kWarn, kStricter, &characters::invisible,
     "spec, metadata.labels, metadata.annotations"},
    {"text.lookalike", kAll, kAlways, kWarn, kStricter, &characters::lookalike,
     "spec, metadata.labels, metadata.annotations"},
});
// clang-format on

}  // namespace

std::span<const Rule> character_rules() {
  return kRules;
}

}  // namespace dynamo::validators
