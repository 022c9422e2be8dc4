#include <array>

#include "validators/catalog.hpp"
#include "validators/rendered/model/model.hpp"
#include "validators/rule_groups.hpp"

namespace dynamo::validators {
namespace {

using api::Kind;
using api::Operation;

constexpr SetOf<Operation> kAlways{Operation::kCreate, Operation::kUpdate};
constexpr SetOf<Operation> kOnUpdate{Operation::kUpdate};
constexpr SetOf<Kind> kModels{Kind::kModel};
constexpr SetOf<Kind> kServices{Kind::kGraphDeployment, Kind::kComponentDeployment};
constexpr Severity kWarn = Severity::kWarn;
constexpr Ratchet kStricter = Ratchet::kYes;

// P is spec.services[NAME] in a graph and spec in a component.
// clang-format off
constexpr std::array kRules = std::to_array<Rule>({
    {"model.update.stale", kModels, kOnUpdate, kWarn, kStricter, &models::stale_adapter,
     "spec.modelName, spec.source.uri"},
    {"model.type.adapter", kModels, kAlways, kWarn, kStricter, &models::type_and_source,
     "spec.modelType, spec.source"},
    {"model.lora.scheme", kModels, kAlways, kWarn, kStricter, &models::source_location,
     "spec.source.uri"},
    {"model.ref.mismatch", kServices, kAlways, kWarn, kStricter, &models::reference,
     "P.modelRef"},
    {"model.lora.worker-support", kServices, kAlways, kWarn, kStricter, &models::adapter_support,
     "P"},
});
// clang-format on

}  // namespace

std::span<const Rule> model_rules() {
  return kRules;
}

}  // namespace dynamo::validators
