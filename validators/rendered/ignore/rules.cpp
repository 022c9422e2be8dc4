#include <array>

#include "validators/catalog.hpp"
#include "validators/rendered/ignore/ignore.hpp"
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
    {"ignore.unknown-rule", kAll, kAlways, kWarn, kStricter, &ignore::unknown_rule,
     "metadata.annotations[dynamo-admission.nvidia.com/ignore]"},
});
// clang-format on

}  // namespace

std::span<const Rule> ignore_rules() {
  return kRules;
}

}  // namespace dynamo::validators
