// The sections and keys of the profiler's configuration.
#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "schema/suggest.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/proof.hpp"
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

// The keys that the profiler reads, from its documentation over its versions, in camel case.
constexpr std::array<std::string_view, 7> kSections = {"deployment", "engine",  "hardware", "sla",
                                                       "sweep",      "planner", "outputDir"};
constexpr std::array<std::string_view, 6> kOfDeployment = {
    "namespace", "serviceName", "model", "deploymentTimeout", "dgdImage", "modelCache"};
constexpr std::array<std::string_view, 3> kOfEngine = {"backend", "config", "maxContextLength"};
constexpr std::array<std::string_view, 5> kOfHardware = {"minNumGpusPerEngine",
                                                         "maxNumGpusPerEngine", "numGpusPerNode",
                                                         "enableGpuDiscovery", "gpuType"};
constexpr std::array<std::string_view, 5> kOfSla = {"isl", "osl", "ttft", "itl",
                                                    "optimizationType"};
constexpr std::array<std::string_view, 11> kOfSweep = {"prefillInterpolationGranularity",
                                                       "decodeInterpolationGranularity",
                                                       "useAiConfigurator",
                                                       "aicSystem",
                                                       "aicHfId",
                                                       "aicBackend",
                                                       "aicBackendVersion",
                                                       "dryRun",
                                                       "skipExistingResults",
                                                       "pickWithWebui",
                                                       "webuiPort"};

// Keys that were read by earlier versions, or are read in another section.
struct MovedKey {
  std::string_view section;  // "" for the configuration itself
  std::string_view key;
  std::string_view advice;
};
constexpr std::array<MovedKey, 8> kMoved = {{
    {"", "aic", "must stand in sweep, as aicSystem, aicHfId and aicBackendVersion; move it there"},
    {"", "modelCache", "must stand in deployment; move it there"},
    {"", "model", "must stand in spec.model; remove it here"},
    {"", "backend", "must stand in spec.backend; remove it here"},
    {"engine", "isMoeModel",
     "must not be set, as the profiler finds it out by itself and reads it no more; remove it"},
    {"sweep", "aicModelName",
     "must be aicHfId, the model's name on the Hugging Face hub; rename it and give that name"},
    {"modelCache", "pvcPath",
     "must be modelPathInPvc, or later operators do not read it; rename it"},
    {"modelCache", "mountPath",
     "must be pvcMountPath, or later operators do not read it; rename it"},
}};

// Unknown keys are compared by edit distance, so only this many of them are.
constexpr std::size_t kMaxUnknown = 32;

// Whether later profilers may read more keys of a section than are listed.
enum class KeyCoverage : unsigned char { kAll, kOfFirstGeneration };

class KeyCheck {
 public:
  KeyCheck(const Context& context, Report& report) : context_(context), report_(report) {}

  void check(json::Value section, std::string_view name, std::span<const std::string_view> known,
             const FieldPath& path, KeyCoverage coverage = KeyCoverage::kAll) {
    const OperatorBehaviour behaviour = coverage == KeyCoverage::kAll
                                            ? OperatorBehaviour::kUnknownSetting
                                            : OperatorBehaviour::kNewerSetting;
    const bool reports_unknown = severity_of(behaviour, context_) != Severity::kOff;
    for (const auto [key, value] : section.members()) {
      if (unknown_ == kMaxUnknown) break;
      const auto is_spelled = [&](std::string_view each) { return is_spelling_of(key, each); };
      if (std::ranges::any_of(known, is_spelled)) continue;
      ++unknown_;
      if (!check_misspelt(key, name, known, path) && reports_unknown)
        add_unknown_key(key, name, path);
    }
    for (const std::string_view each : known) check_both_spellings(section, each, path);
  }

 private:
  // Reports a key whose intended key is known.
  bool check_misspelt(std::string_view key, std::string_view section,
                      std::span<const std::string_view> known, const FieldPath& path) {
    const auto moved = std::ranges::find_if(kMoved, [&](const MovedKey& each) {
      return each.section == section && is_spelling_of(key, each.key);
    });
    if (moved != kMoved.end()) {
      report_.add(ErrorType::kNotSupported, path.key(key), std::string(moved->advice));
      return true;
    }
    const std::string_view suggestion = schema::nearest_word(known, key);
    if (suggestion.empty()) return false;
    report_.add(ErrorType::kNotSupported, path.key(key),
                "must be spelled " + std::string(suggestion) +
                    ", or the profiler does not read it; rename it");
    return true;
  }

  void add_unknown_key(std::string_view key, std::string_view section, const FieldPath& path) {
    report_.add(ErrorType::kNotSupported, path.key(key),
                "must be a setting that the profiler reads; found none of this name" +
                    (section.empty() ? std::string() : " in " + std::string(section)) +
                    "; correct it, or remove it");
  }

  // Reports a setting that is given in both spellings.
  void check_both_spellings(json::Value section, std::string_view name, const FieldPath& path) {
    bool first = false;
    std::string_view second;
    for (const auto [key, value] : section.members()) {
      first = first || key == name;
      if (is_snake_case_of(key, name)) second = key;
    }
    if (!first || second.empty()) return;
    report_.add(ErrorType::kDuplicate, path.key(second),
                "must be given once; found " + std::string(name) +
                    " too, which is the same setting; remove one of the two");
  }

  const Context& context_;
  Report& report_;
  std::size_t unknown_ = 0;
};

// Whether the first operator sets a value in the section, which must then be an object, or passes
// it on unread.
enum class Section : unsigned char { kSet, kPassedOn };

void check_object(const Context& context, json::Value value, Section section, const FieldPath& path,
                  Report& report) {
  if (value.is_nothing() || value.is_object()) return;
  const bool set = section == Section::kSet;
  add_finding(report, if_certain(set, severity_of(OperatorBehaviour::kSectionOfConfig, context)),
              ErrorType::kInvalid, path,
              std::string("must be an object, or ") +
                  (set ? "the request fails for good with the first operators"
                       : "its settings are not read") +
                  "; found " + std::string(json::type_name(value.type())));
}

void config_shape(const Context& context, const Request& now, const Request*, Report& report) {
  const json::Value config = now.profiler_config();
  for (const std::string_view name :
       {"deployment", "engine", "hardware", "planner", "sla", "sweep"}) {
    const bool set = name == "deployment" || name == "engine";
    check_object(context, config[name], set ? Section::kSet : Section::kPassedOn,
                 kConfig.child(name), report);
  }
  const Setting cache = find_setting(config["deployment"], "modelCache");
  check_object(context, cache.value, Section::kPassedOn, kDeployment.child(cache.key), report);
}

void config_keys(const Context& context, const Request& now, const Request*, Report& report) {
  const json::Value config = now.profiler_config();
  KeyCheck keys(context, report);
  keys.check(config, "", kSections, kConfig);
  const json::Value deployment = config["deployment"];
  keys.check(deployment, "deployment", kOfDeployment, kDeployment);
  const Setting cache = find_setting(deployment, "modelCache");
  const ModelCacheNames names = model_cache_names(context);
  const std::array<std::string_view, 3> of_cache = {"pvcName", names.path, names.mount};
  keys.check(cache.value, cache.key, of_cache, kDeployment.child(cache.key));
  keys.check(config["engine"], "engine", kOfEngine, kConfig.child("engine"));
  keys.check(config["hardware"], "hardware", kOfHardware, kConfig.child("hardware"),
             KeyCoverage::kOfFirstGeneration);
  keys.check(config["sla"], "sla", kOfSla, kConfig.child("sla"));
  keys.check(config["sweep"], "sweep", kOfSweep, kConfig.child("sweep"),
             KeyCoverage::kOfFirstGeneration);

  // The results are collected from one directory.
  const Setting output = find_setting(config, "outputDir");
  const std::string_view folder = output.value.string_or_empty();
  if (folder.empty() || folder == "/data" || folder == "/data/") return;
  report.add(ErrorType::kInvalid, kConfig.child(output.key),
             pod::found("must be /data, where the results are collected, or the request fails",
                        folder, "remove it"));
}

// The controller sets these before the profiling job starts. The operator's own rules report the
// backend and the model.
void overwritten_settings(const Context&, const Request& now, const Request*, Report& report) {
  const json::Value config = now.profiling()["config"];
  const std::string_view image =
      now.spec()["deploymentOverrides"]["workersImage"].string_or_empty();
  const std::string_view given = config["deployment"]["dgd_image"].string_or_empty();
  if (!image.empty() && !given.empty() && given != image) {
    report.add(
        ErrorType::kInvalid, kDeployment.child("dgd_image"),
        "is overwritten by spec.deploymentOverrides.workersImage " + quoted(image) + "; remove it");
  }
  const bool has_base = !now.profiling()["configMapRef"]["name"].string_or_empty().empty();
  if (has_base && !config["engine"]["config"].string_or_empty().empty()) {
    report.add(ErrorType::kInvalid, kConfig.child("engine").child("config"),
               "is overwritten with the file of spec.profilingConfig.configMapRef; remove it");
  }
}

}  // namespace

extern constexpr Rule kConfigShapeRule{
    .id = "dgdr.config.shape",
    .kinds = kinds::kRequests,
    .function = &config_shape,
    .field = "spec.profilingConfig.config",
};

extern constexpr Rule kConfigKeysRule{
    .id = "dgdr.config.unknown-key",
    .kinds = kinds::kRequests,
    .severity = Severity::kWarn,
    .function = &config_keys,
    .field = "spec.profilingConfig.config",
};

extern constexpr Rule kOverwrittenSettingsRule{
    .id = "dgdr.config.overwritten",
    .kinds = kinds::kRequests,
    .severity = Severity::kWarn,
    .function = &overwritten_settings,
    .field =
        "spec.profilingConfig.config.deployment.dgd_image, "
        "spec.profilingConfig.config.engine.config",
};

}  // namespace dynamo::validators::requests
