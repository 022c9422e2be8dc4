// The numbers and paths in the profiler's configuration.
#include <initializer_list>
#include <optional>

#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/request/settings.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::requests {

using Request = api::GraphDeploymentRequest;
using api::Context;

namespace {

using api::ErrorType;
using api::FieldPath;

constexpr FieldPath kSpec{"spec"};
constexpr FieldPath kProfiling = kSpec.child("profilingConfig");
constexpr FieldPath kConfig = kProfiling.child("config");
constexpr FieldPath kDeployment = kConfig.child("deployment");
constexpr FieldPath kHardware = kConfig.child("hardware");
constexpr FieldPath kSla = kConfig.child("sla");
constexpr FieldPath kSweep = kConfig.child("sweep");
constexpr FieldPath kEngine = kConfig.child("engine");

// Numbers only; the profiler interprets other values.
std::optional<std::int64_t> integer(const Setting& setting) {
  return setting.value.integer();
}

void require_at_least(json::Value section, std::initializer_list<std::string_view> names,
                      std::int64_t least, const FieldPath& path, Report& report) {
  for (const std::string_view name : names) {
    const Setting setting = find_setting(section, name);
    const std::optional<std::int64_t> number = integer(setting);
    if (!number || *number >= least) continue;
    report.also_warn(path.child(setting.key), "must be " + std::to_string(least) +
                                                  " or more, or the profiler ends at once; found " +
                                                  std::to_string(*number));
  }
}

void check_targets(json::Value sla, Report& report) {
  for (const std::string_view name : {"ttft", "itl"}) {
    const Setting setting = find_setting(sla, name);
    const std::optional<double> number = setting.value.number();
    if (!number || *number > 0) continue;
    report.also_warn(kSla.child(setting.key),
                     std::string("must be more than 0 milliseconds, or no configuration meets it; "
                                 "found ") +
                         (*number == 0 ? "0" : "a negative number"));
  }
  require_at_least(sla, {"isl", "osl"}, 1, kSla, report);
}

void check_gpus(json::Value hardware, Report& report) {
  // 0 lets the profiler detect the value.
  require_at_least(hardware, {"minNumGpusPerEngine", "maxNumGpusPerEngine", "numGpusPerNode"}, 0,
                   kHardware, report);
  const Setting least = find_setting(hardware, "minNumGpusPerEngine");
  const auto fewest = integer(least);
  const auto most = integer(find_setting(hardware, "maxNumGpusPerEngine"));
  if (!fewest || !most || *most < 1 || *fewest <= *most) return;
  report.also_warn(kHardware.child(least.key),
                   "must be at most maxNumGpusPerEngine, or there is nothing to profile; found " +
                       std::to_string(*fewest) + " and " + std::to_string(*most));
}

void check_length(json::Value config, Report& report) {
  const Setting setting = find_setting(config["engine"], "maxContextLength");
  require_at_least(config["engine"], {"maxContextLength"}, 0, kEngine, report);
  const auto longest = integer(setting);
  const auto input = integer(find_setting(config["sla"], "isl"));
  const auto output = integer(find_setting(config["sla"], "osl"));
  if (!longest || !input || !output || *longest < 1 || *input < 1 || *output < 1) return;
  // Both are positive, so the difference cannot overflow.
  if (*input <= *longest && *output <= *longest - *input) return;
  report.also_warn(kEngine.child(setting.key),
                   "must hold sla.isl and sla.osl together, or no request fits; found " +
                       std::to_string(*longest) + " for " + std::to_string(*input) + " and " +
                       std::to_string(*output) + " tokens");
}

// The folder itself, or something below it.
bool is_below(std::string_view path, std::string_view folder) {
  while (folder.ends_with('/')) folder.remove_suffix(1);
  if (!path.starts_with(folder)) return false;
  const std::string_view rest = path.substr(folder.size());
  return rest.empty() || rest.front() == '/';
}

// Whether the text is absent or empty. The type rule reports another type.
bool is_empty_text(json::Value value) {
  return value.is_nothing() || value.string() == "";
}

void values(const Context&, const Request& now, const Request*, Report& report) {
  const json::Value spec = now.spec();
  if (spec.is_object() && is_empty_text(spec["model"]) &&
      now.profiling()["configMapRef"]["name"].string_or_empty().empty()) {
    report.also_warn(kSpec.child("model"),
                     "must not be empty, unless the profiler finds the model by engine.config; "
                     "name it, such as Qwen/Qwen3-32B");
  }
  if (const json::Value claims = now.profiling()["resources"]["claims"]; claims.size() > 0) {
    report.also_warn(kProfiling.child("resources").child("claims"),
                     "must not be set, as the pod of the profiling job has no resourceClaims: "
                     "Kubernetes refuses the job from 1.34 on, and drops the claims before; remove "
                     "them");
  }
  const json::Value config = now.profiler_config();
  check_targets(config["sla"], report);
  check_gpus(config["hardware"], report);
  require_at_least(config["sweep"],
                   {"prefillInterpolationGranularity", "decodeInterpolationGranularity"}, 1, kSweep,
                   report);
  check_length(config, report);
}

void simulated_system(const Context&, const Request& now, const Request*, Report& report) {
  const json::Value sweep = now.profiler_config()["sweep"];
  const Setting simulated = find_setting(sweep, "useAiConfigurator");
  if (!simulated.value.boolean().value_or(false)) return;
  const Setting system = find_setting(sweep, "aicSystem");
  const bool missing = !system.exists() || system.value.string() == "";
  if (missing) {
    report.add(ErrorType::kRequired, kSweep.child(system.key),
               "must name the GPUs to simulate where useAiConfigurator is true, or the profiler "
               "ends at once; set it, for example to h200_sxm");
  }
  const Setting backend = find_setting(sweep, "aicBackend");
  const std::string_view engine = backend.value.string_or_empty();
  if (engine.empty() || now.backend().empty() || engine == now.backend()) return;
  report.add(ErrorType::kInvalid, kSweep.child(backend.key),
             pod::found("must be " + quoted(now.backend()) +
                            " as spec.backend is, or another engine is simulated than is deployed",
                        engine, "remove it"));
}

void model_cache(const Context& context, const Request& now, const Request*, Report& report) {
  constexpr std::string_view kDefaultMount = "/opt/model-cache";
  const Setting cache = find_setting(now.profiler_config()["deployment"], "modelCache");
  const Setting claim = find_setting(cache.value, "pvcName");
  if (claim.value.string_or_empty().empty()) return;
  const FieldPath path = kDeployment.child(cache.key);
  const ModelCacheNames names = model_cache_names(context);
  const Setting mount = find_setting(cache.value, names.mount);
  const std::string_view given = mount.value.string_or_empty();
  const std::string_view place = given.empty() ? kDefaultMount : given;
  if (!place.starts_with('/')) {
    report.add(ErrorType::kInvalid, path.child(mount.key),
               pod::found("must be an absolute path", place, "begin it with '/'"));
  } else if (is_below(place, "/data") || is_below(place, "/config")) {
    report.add(ErrorType::kInvalid, path.child(mount.key),
               pod::found("must not be /data or /config or lie in them, where the profiling job "
                          "has volumes of its own",
                          place, "use another path, such as /opt/model-cache"));
  }
  const Setting folder = find_setting(cache.value, names.path);
  const std::string_view model = folder.value.string_or_empty();
  if (model.empty()) {
    report.add(ErrorType::kRequired, path.child(folder.key),
               "must name the folder of the model on the volume, or the model is looked for at its "
               "root; set it");
  } else if (model.starts_with('/') && !is_below(model, place)) {
    report.add(
        ErrorType::kInvalid, path.child(folder.key),
        pod::found("must be relative to the volume, or lie below " + std::string(names.mount),
                   model, "remove the leading '/'"));
  }
}

}  // namespace

extern constexpr Rule kValuesRule{
    .id = "dgdr.values",
    .kinds = kinds::kRequests,
    .severity = Severity::kWarn,
    .function = &values,
    .field = "spec.model, spec.profilingConfig.resources, C",
};

extern constexpr Rule kSimulatedSystemRule{
    .id = "dgdr.aic.system",
    .kinds = kinds::kRequests,
    .severity = Severity::kWarn,
    .function = &simulated_system,
    .field = "spec.profilingConfig.config.sweep",
};

extern constexpr Rule kModelCacheRule{
    .id = "dgdr.model-cache",
    .kinds = kinds::kRequests,
    .severity = Severity::kWarn,
    .function = &model_cache,
    .field = "spec.profilingConfig.config.deployment.modelCache",
};

}  // namespace dynamo::validators::requests
