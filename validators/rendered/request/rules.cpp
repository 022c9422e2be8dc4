#include <array>

#include "validators/catalog.hpp"
#include "validators/rendered/request/request.hpp"
#include "validators/rule_groups.hpp"

namespace dynamo::validators {
namespace {

using api::Kind;
using api::Operation;

constexpr SetOf<Operation> kAlways{Operation::kCreate, Operation::kUpdate};
constexpr SetOf<Operation> kOnUpdate{Operation::kUpdate};
constexpr SetOf<Kind> kRequests{Kind::kGraphDeploymentRequest};
constexpr Severity kDeny = Severity::kDeny;
constexpr Severity kWarn = Severity::kWarn;
constexpr Ratchet kStricter = Ratchet::kYes;
constexpr Ratchet kAlwaysWhole = Ratchet::kNo;

// C is spec.profilingConfig.config.
// clang-format off
constexpr std::array kRules = std::to_array<Rule>({
    {"dgdr.update.frozen", kRequests, kOnUpdate, kWarn, kStricter, &requests::edit_after_failure,
     "spec"},
    {"dgdr.values", kRequests, kAlways, kWarn, kStricter, &requests::values,
     "spec.model, spec.profilingConfig.resources, C"},
    {"dgdr.config.shape", kRequests, kAlways, kDeny, kStricter, &requests::config_shape,
     "spec.profilingConfig.config"},
    {"dgdr.config.unknown-key", kRequests, kAlways, kWarn, kStricter, &requests::config_keys,
     "spec.profilingConfig.config"},
    {"dgdr.aic.system", kRequests, kAlways, kWarn, kStricter, &requests::simulated_system,
     "spec.profilingConfig.config.sweep"},
    {"dgdr.model-cache", kRequests, kAlways, kWarn, kStricter, &requests::model_cache,
     "spec.profilingConfig.config.deployment.modelCache"},
    {"dgdr.images", kRequests, kAlways, kWarn, kStricter, &requests::images,
     "spec.deploymentOverrides.workersImage"},
    {"dgdr.controller", kRequests, kAlways, kWarn, kAlwaysWhole, &requests::controller_missing,
     "kind"},
});
// clang-format on

}  // namespace

std::span<const Rule> request_rules() {
  return kRules;
}

}  // namespace dynamo::validators
