// Rules for a DynamoGraphDeploymentRequest.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "validators/rule.hpp"

namespace dynamo::validators::graph_deployment_request {

using Request = api::GraphDeploymentRequest;
using api::Context;
using api::ErrorType;
using api::FieldPath;

namespace {

constexpr FieldPath kSpec{"spec"};
constexpr FieldPath kProfiling = kSpec.child("profilingConfig");
constexpr FieldPath kConfig = kProfiling.child("config");

// States in which the controller no longer reads the spec.
bool is_frozen(std::string_view state) {
  constexpr std::array<std::string_view, 4> kFrozen{"Profiling", "Deploying", "Ready",
                                                    "DeploymentDeleted"};
  return std::ranges::find(kFrozen, state) != kFrozen.end();
}

// Warns that `wanted` overwrites `configured`, a value inside the profiler's config.
void warn_overwritten(json::Value configured, std::string_view wanted, const FieldPath& path,
                      std::string_view field, Report& report) {
  const std::string_view text = configured.string_or_empty();
  if (text.empty() || text == wanted) return;
  report.add(ErrorType::kInvalid, path,
             "is overwritten by " + std::string(field) + " " + quoted(wanted) + "; remove it");
}

void gpu_discovery_scope(const Context& context, const Request& now, const Request*,
                         Report& report) {
  if (!now.is_gpu_discovery_enabled() || !context.settings.is_namespace_restricted()) return;
  report.add(ErrorType::kForbidden, kSpec.child("enableGpuDiscovery"),
             "must not be true while the operator is restricted to one namespace, where it cannot "
             "read nodes; set it to false");
}

void profiler_image(const Context&, const Request& now, const Request*, Report& report) {
  if (!now.profiling()["profilerImage"].string_or_empty().empty()) return;
  report.add(ErrorType::kRequired, kProfiling.child("profilerImage"),
             "must not be empty; give the image that runs the profiling job");
}

void config_required(const Context&, const Request& now, const Request*, Report& report) {
  if (!now.profiler_config().is_nothing()) return;
  report.add(ErrorType::kRequired, kConfig, "must be set; give the profiler's configuration");
}

void config_parses(const Context&, const Request& now, const Request*, Report& report) {
  const json::Value config = now.profiler_config();
  if (config.is_nothing() || config.is_object()) return;
  report.add(ErrorType::kInvalid, kConfig,
             "must be an object; found " + std::string(type_name(config.type())));
}

void config_backend_overwritten(const Context&, const Request& now, const Request*,
                                Report& report) {
  warn_overwritten(now.profiler_config()["engine"]["backend"], now.backend(),
                   kConfig.child("engine").child("backend"), "spec.backend", report);
}

void config_model_overwritten(const Context&, const Request& now, const Request*, Report& report) {
  warn_overwritten(now.profiler_config()["deployment"]["model"], now.model(),
                   kConfig.child("deployment").child("model"), "spec.model", report);
}

void spec_immutable(const Context&, const Request& now, const Request* old, Report& report) {
  if (old == nullptr || !is_frozen(old->state()) || json::equal(old->spec(), now.spec())) return;
  report.add(ErrorType::kForbidden, kSpec,
             "must not change once status.state is " + quoted(old->state()) +
                 "; delete the request and create it again");
}

}  // namespace

extern constexpr Rule kSpecImmutableRule{
    .id = "dgdr.spec.immutable",
    .kinds = kinds::kRequests,
    .operations = kOnUpdate,
    .function = &spec_immutable,
    .field = "spec",
};

extern constexpr Rule kGpuDiscoveryScopeRule{
    .id = "dgdr.gpu-discovery.scope",
    .kinds = kinds::kRequests,
    .ratchet = Ratchet::kNo,
    .function = &gpu_discovery_scope,
    .field = "spec.enableGpuDiscovery",
};

extern constexpr Rule kConfigRequiredRule{
    .id = "dgdr.config.required",
    .kinds = kinds::kRequests,
    .ratchet = Ratchet::kNo,
    .function = &config_required,
    .field = "spec.profilingConfig.config",
};

extern constexpr Rule kConfigParsesRule{
    .id = "dgdr.config.parses",
    .kinds = kinds::kRequests,
    .ratchet = Ratchet::kNo,
    .function = &config_parses,
    .field = "spec.profilingConfig.config",
};

extern constexpr Rule kConfigBackendOverwrittenRule{
    .id = "dgdr.config.backend-overwritten",
    .kinds = kinds::kRequests,
    .severity = Severity::kWarn,
    .ratchet = Ratchet::kNo,
    .function = &config_backend_overwritten,
    .field = "spec.profilingConfig.config.engine.backend",
};

extern constexpr Rule kConfigModelOverwrittenRule{
    .id = "dgdr.config.model-overwritten",
    .kinds = kinds::kRequests,
    .severity = Severity::kWarn,
    .ratchet = Ratchet::kNo,
    .function = &config_model_overwritten,
    .field = "spec.profilingConfig.config.deployment.model",
};

extern constexpr Rule kProfilerImageRule{
    .id = "dgdr.profiler-image",
    .kinds = kinds::kRequests,
    .ratchet = Ratchet::kNo,
    .function = &profiler_image,
    .field = "spec.profilingConfig.profilerImage",
};

}  // namespace dynamo::validators::graph_deployment_request
