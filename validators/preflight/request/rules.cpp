#include <array>

#include "validators/catalog.hpp"
#include "validators/preflight/request/request.hpp"
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

// C is spec.profilingConfig.config.
// clang-format off
constexpr std::array kRules = std::to_array<Rule>({
    {"dgdr.update.frozen", kRequests, kOnUpdate, kWarn, kStricter, &requests::edit_after_failure,
     "spec", "a request that has failed is created anew, not edited"},
    {"dgdr.values", kRequests, kAlways, kWarn, kStricter, &requests::values,
     "spec.model, spec.profilingConfig.resources, C", "a request names its model, and its numbers can be met"},
    {"dgdr.config.shape", kRequests, kAlways, kDeny, kStricter, &requests::config_shape,
     "spec.profilingConfig.config", "the sections of the profiler's configuration are objects"},
    {"dgdr.config.unknown-key", kRequests, kAlways, kWarn, kStricter, &requests::config_keys,
     "spec.profilingConfig.config", "the profiler's configuration has only keys that the profiler reads"},
    {"dgdr.aic.system", kRequests, kAlways, kWarn, kStricter, &requests::simulated_system,
     "spec.profilingConfig.config.sweep", "a simulated profiling names the GPUs, and simulates the engine of spec.backend"},
    {"dgdr.model-cache", kRequests, kAlways, kWarn, kStricter, &requests::model_cache,
     "spec.profilingConfig.config.deployment.modelCache", "a model on a volume is found where the profiler looks for it"},
    {"dgdr.images", kRequests, kAlways, kWarn, kStricter, &requests::images,
     "spec.deploymentOverrides.workersImage", "the images of a request exist, and hold its engine"},
});
// clang-format on

}  // namespace

std::span<const Rule> request_rules() {
  return kRules;
}

}  // namespace dynamo::validators
