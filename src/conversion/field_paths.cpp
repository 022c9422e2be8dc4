#include "conversion/field_paths.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "api/kind.hpp"
#include "conversion/type.hpp"
#include "conversion/types.hpp"

namespace dynamo::conversion {

namespace {

// Places with the same meaning, with all fields below them that both types have. `[*]` is any
// element of a list or map, `[NAME]` the one with that name. If several rows match a path, a row
// whose field exists in the object wins, then the first one.
struct PathMove {
  std::string_view alpha;
  std::string_view beta;
};

constexpr PathMove kComponentPaths[] = {
    {"componentType", "type"},
    {"subComponentType", "type"},
    {"sharedMemory", "sharedMemorySize"},
    {"checkpoint", "experimental.checkpoint"},
    {"gpuMemoryService", "experimental.gpuMemoryService"},
    {"failover", "experimental.failover"},
    {"envs", "podTemplate.spec.containers[main].env"},
    {"resources.limits.cpu", "podTemplate.spec.containers[main].resources.limits[cpu]"},
    {"resources.limits.memory", "podTemplate.spec.containers[main].resources.limits[memory]"},
    {"resources.limits.gpu", "podTemplate.spec.containers[main].resources.limits[nvidia.com/gpu]"},
    {"resources.limits.custom[*]", "podTemplate.spec.containers[main].resources.limits[*]"},
    {"resources.requests.cpu", "podTemplate.spec.containers[main].resources.requests[cpu]"},
    {"resources.requests.memory", "podTemplate.spec.containers[main].resources.requests[memory]"},
    {"resources.requests.gpu",
     "podTemplate.spec.containers[main].resources.requests[nvidia.com/gpu]"},
    {"resources.requests.custom[*]", "podTemplate.spec.containers[main].resources.requests[*]"},
    {"resources", "podTemplate.spec.containers[main].resources"},
    {"volumeMounts[*].mountPoint", "podTemplate.spec.containers[main].volumeMounts[*].mountPath"},
    {"volumeMounts", "podTemplate.spec.containers[main].volumeMounts"},
    {"volumeMounts[*].name", "compilationCache.pvcName"},
    {"volumeMounts[*].mountPoint", "compilationCache.mountPath"},
    {"volumeMounts[*]", "compilationCache"},
    {"livenessProbe", "podTemplate.spec.containers[main].livenessProbe"},
    {"readinessProbe", "podTemplate.spec.containers[main].readinessProbe"},
    {"extraPodSpec.mainContainer", "podTemplate.spec.containers[main]"},
    {"envFromSecret", "podTemplate.spec.containers[main].envFrom"},
    {"extraPodSpec", "podTemplate.spec"},
    {"extraPodMetadata", "podTemplate.metadata"},
    {"frontendSidecar.image", "podTemplate.spec.containers[sidecar-frontend].image"},
    {"frontendSidecar.args", "podTemplate.spec.containers[sidecar-frontend].args"},
    {"frontendSidecar.envs", "podTemplate.spec.containers[sidecar-frontend].env"},
    {"frontendSidecar.envFromSecret", "podTemplate.spec.containers[sidecar-frontend].envFrom"},
    {"frontendSidecar", "frontendSidecar"},
    {"frontendSidecar", "podTemplate.spec.containers[sidecar-frontend]"},
};

constexpr PathMove kGraphPaths[] = {
    {"spec.envs", "spec.env"},
    {"spec.topologyConstraint.topologyProfile", "spec.topologyConstraint.clusterTopologyName"},
    {"status.services[*].componentName", "status.components[*].componentNames"},
    {"status.services", "status.components"},
    {"status.rollingUpdate.updatedServices", "status.rollingUpdate.updatedComponents"},
};

constexpr PathMove kComponentDeploymentPaths[] = {
    {"spec.serviceName", "spec.name"},
    {"status.service.componentName", "status.component.componentNames"},
    {"status.service", "status.component"},
};

constexpr PathMove kRequestPaths[] = {
    {"spec.profilingConfig.profilerImage", "spec.image"},
    {"spec.deploymentOverrides.workersImage", "spec.image"},
    {"spec.useMocker", "spec.features.mocker.enabled"},
    {"spec.profilingConfig.config.sla.isl", "spec.workload.isl"},
    {"spec.profilingConfig.config.sla.osl", "spec.workload.osl"},
    {"spec.profilingConfig.config.sla", "spec.sla"},
    {"spec.profilingConfig.config.deployment.modelCache.modelPathInPvc",
     "spec.modelCache.pvcModelPath"},
    {"spec.profilingConfig.config.deployment.modelCache", "spec.modelCache"},
    {"spec.profilingConfig.config.planner", "spec.features.planner"},
    {"spec.profilingConfig.resources",
     "spec.overrides.profilingJob.template.spec.containers[profiler].resources"},
    {"spec.profilingConfig.tolerations", "spec.overrides.profilingJob.template.spec.tolerations"},
    {"spec.profilingConfig.nodeSelector", "spec.overrides.profilingJob.template.spec.nodeSelector"},
    {"status.generatedDeployment", "status.profilingResults.selectedConfig"},
    {"status.deployment.name", "status.dgdName"},
    {"status.state", "status.phase"},
};

constexpr PathMove kAdapterPaths[] = {{"spec.dgdRef.serviceName", "spec.dgdRef.componentName"}};

struct KindPaths {
  std::string_view kind;
  const Type& alpha;
  const Type& beta;
  std::span<const PathMove> moves;
  std::optional<PathMove> component = std::nullopt;
};

constexpr KindPaths kKindPaths[] = {
    {api::names(api::Kind::kGraphDeployment).name, types::kAlphaGraphDeployment,
     types::kBetaGraphDeployment, kGraphPaths, PathMove{"spec.services[*]", "spec.components[*]"}},
    {api::names(api::Kind::kComponentDeployment).name, types::kAlphaComponentDeployment,
     types::kBetaComponentDeployment, kComponentDeploymentPaths, PathMove{"spec", "spec"}},
    {api::names(api::Kind::kGraphDeploymentRequest).name, types::kAlphaGraphDeploymentRequest,
     types::kBetaGraphDeploymentRequest, kRequestPaths},
    {api::names(api::Kind::kScalingAdapter).name, types::kAlphaGraphDeploymentScalingAdapter,
     types::kBetaGraphDeploymentScalingAdapter, kAdapterPaths},
};

constexpr std::string_view kKeptOfGraphs[] = {
    "spec.pvcs",
    "spec.services[*].annotations",
    "spec.services[*].autoscaling",
    "spec.services[*].dynamoNamespace",
    "spec.services[*].ingress",
    "spec.services[*].labels",
};

constexpr std::string_view kKeptOfComponents[] = {
    "spec.annotations", "spec.autoscaling", "spec.dynamoNamespace", "spec.ingress", "spec.labels",
};

// Settings in `config` that have a field of their own are converted exactly, so they are not kept.
constexpr std::string_view kKeptOfRequests[] = {
    "spec.deploymentOverrides",       "spec.enableGpuDiscovery",
    "spec.profilingConfig.config",    "spec.profilingConfig.configMapRef",
    "spec.profilingConfig.outputPVC",
};

// Fields of v1alpha1 that conversion keeps in an annotation.
struct KeptFields {
  std::string_view kind;
  std::string_view annotation;
  std::span<const std::string_view> fields;
};

constexpr KeptFields kKeptFields[] = {
    {api::names(api::Kind::kGraphDeployment).name, "nvidia.com/dgd-spec", kKeptOfGraphs},
    {api::names(api::Kind::kComponentDeployment).name, "nvidia.com/dcd-spec", kKeptOfComponents},
    {api::names(api::Kind::kGraphDeploymentRequest).name, "nvidia.com/dgdr-spec", kKeptOfRequests},
};

// Null for a kind with one version.
const KindPaths* find_paths(std::string_view kind) {
  const auto* const found = std::ranges::find(kKindPaths, kind, &KindPaths::kind);
  return found == std::end(kKindPaths) ? nullptr : found;
}

// `.name`, or `[index]` and `[key]`.
struct Step {
  std::string_view text;
  bool is_element;

  bool is_any() const { return text == "*"; }
};

// The bracket that closes a key, which may contain brackets.
std::size_t find_end_of_key(std::string_view text) {
  for (std::size_t at = text.find(']'); at != std::string_view::npos; at = text.find(']', at + 1)) {
    if (at + 1 == text.size() || text[at + 1] == '.' || text[at + 1] == '[') return at;
  }
  return text.size();
}

std::vector<Step> parse_steps(std::string_view path) {
  std::vector<Step> steps;
  while (!path.empty()) {
    const bool is_element = path.front() == '[';
    if (is_element || path.front() == '.') path.remove_prefix(1);
    const std::size_t end =
        is_element ? find_end_of_key(path) : std::min(path.find_first_of(".["), path.size());
    steps.push_back({path.substr(0, end), is_element});
    path.remove_prefix(std::min(path.size(), end + (is_element ? 1 : 0)));
  }
  return steps;
}

std::optional<std::size_t> parse_index(std::string_view text) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return index;
}

// The name of a list's element, or of the claim of a compilation cache, which v1alpha1 mounts.
std::string_view name_in(json::Value element) {
  const std::string_view name = element["name"].string_or_empty();
  return name.empty() ? element["pvcName"].string_or_empty() : name;
}

// Whether both are one element of a list, by the member that identifies it in both versions.
bool are_same_element(json::Value one, json::Value other) {
  const auto path_in = [](json::Value element) {
    const std::string_view path = element["mountPath"].string_or_empty();
    return path.empty() ? element["mountPoint"].string_or_empty() : path;
  };
  return name_in(one) == name_in(other) && path_in(one) == path_in(other);
}

// An element of a list or map, in order to find it in the other version.
struct Element {
  json::Value value;           // absent for a list without it
  std::string_view name;       // or the key of a map
  std::size_t occurrence = 0;  // elements in front of it with the same name, or also without one
};

Element element_of(json::Value container, std::string_view step) {
  if (!container.is_array()) return {.value = container[step], .name = step};
  Element element;
  const std::optional<std::size_t> wanted = parse_index(step);
  std::vector<json::Value> before;
  for (const json::Value each : container.elements()) {
    if (wanted ? before.size() == *wanted : name_in(each) == step) {
      element.value = each;
      break;
    }
    before.push_back(each);
  }
  element.name = name_in(element.value);
  for (const json::Value each : before) {
    if (are_same_element(each, element.value)) ++element.occurrence;
  }
  return element;
}

// A field of the target's version, as far as a path has been followed.
class TargetField {
 public:
  TargetField(const Type& type, json::Value object) : type_(&type), value_(object) {}

  // Each returns false, and stays where it is, if there is no such field or element.
  bool enter_member(std::string_view name) {
    if (form_ == Form::kMap) return enter_key(name);
    if (form_ == Form::kObject) {
      const Field* const field = type_->find(name);
      if (field == nullptr) return false;
      field_ = field;
      type_ = field->type;
      form_ = field->is_list() ? Form::kList : field->is_map() ? Form::kMap : form_of(*field);
    } else if (form_ != Form::kOpaque) {
      return false;
    }
    if (!path_.empty()) path_ += '.';
    path_ += name;
    value_ = value_[name];
    return true;
  }

  bool enter_element(const Element& element) {
    if (form_ == Form::kMap || (form_ == Form::kOpaque && value_.is_object())) {
      return !element.name.empty() && enter_key(element.name);
    }
    if (form_ != Form::kList && form_ != Form::kOpaque) return false;
    std::size_t index = 0;
    std::size_t found = 0;
    for (const json::Value each : value_.elements()) {
      if (is_same(each, element) && found++ == element.occurrence) return enter_index(index, each);
      ++index;
    }
    return false;
  }

  bool exists() const { return value_.exists(); }
  std::string take_path() { return std::move(path_); }

 private:
  enum class Form : unsigned char { kObject, kList, kMap, kOpaque, kScalar };

  static Form form_of(const Field& field) {
    if (field.shape == Shape::kObject) return Form::kObject;
    return field.shape == Shape::kOpaque ? Form::kOpaque : Form::kScalar;
  }

  static bool is_same(json::Value each, const Element& element) {
    // An element of a map has no name of its own.
    const bool is_of_map = !element.name.empty() && name_in(element.value).empty();
    return is_of_map ? name_in(each) == element.name : are_same_element(each, element.value);
  }

  bool enter_key(std::string_view key) {
    enter(value_[key]);
    path_.append("[").append(key).append("]");
    return true;
  }

  bool enter_index(std::size_t index, json::Value element) {
    enter(element);
    path_.append("[").append(std::to_string(index)).append("]");
    return true;
  }

  void enter(json::Value element) {
    value_ = element;
    if (form_ != Form::kOpaque) form_ = form_of(*field_);
  }

  const Type* type_;
  const Field* field_ = nullptr;
  Form form_ = Form::kObject;
  json::Value value_;
  std::string path_;
};

// How far a path has been followed in both versions.
struct Progress {
  std::size_t steps = 0;  // of the path
  json::Value source;
  json::Value object;  // the innermost object of the source
  std::vector<Element> captured;
  TargetField target;
};

// Follows one path by the rows that match it, and keeps the best result.
class PathConversion {
 public:
  PathConversion(std::string_view path, const KindPaths& kind, const ObjectVersions& object,
                 Version target)
      : steps_(parse_steps(path)),
        kind_(kind),
        to_beta_(target == Version::kV1beta1),
        root_{.source = to_beta_ ? object.alpha : object.beta,
              .object = {},
              .captured = {},
              .target = to_beta_ ? TargetField(kind.beta, object.beta)
                                 : TargetField(kind.alpha, object.alpha)} {}

  std::string run() {
    for (const PathMove& move : kind_.moves) consider(root_, move);
    if (best_.empty() && kind_.component) consider_component(*kind_.component);
    if (best_.empty()) consider(root_, {"", ""});
    return std::move(best_);
  }

  // Whether run() found the field itself.
  bool is_exact() const { return score_ >= kExact; }

  // Whether the path is that of the row's field or leads below it, and the source has the field.
  bool is_within(const PathMove& move) const {
    Progress progress = root_;
    return follow_source(progress, move) && !progress.source.is_nothing();
  }

 private:
  // Most rows are about components: the path to the component is followed once for all of them.
  void consider_component(const PathMove& path) {
    Progress component = root_;
    if (follow_source(component, path) && follow_target(component, path)) {
      component.captured.clear();
      for (const PathMove& move : kComponentPaths) consider(component, move);
    }
    if (best_.empty()) consider(root_, path);
    if (best_.empty()) consider(root_, {without_element(path.alpha), without_element(path.beta)});
  }

  static std::string_view without_element(std::string_view pattern) {
    return pattern.substr(0, pattern.find("[*]"));
  }

  void consider(const Progress& start, const PathMove& move) {
    Progress progress = start;
    if (!follow_source(progress, move)) return;
    const bool is_complete = follow_target(progress, move) && follow_rest(progress);
    const int score = (is_complete ? kExact : 0) + (progress.target.exists() ? 1 : 0);
    if (score <= score_) return;
    score_ = score;
    best_ = progress.target.take_path();
  }

  // Whether the path begins with the pattern of the row.
  bool follow_source(Progress& progress, const PathMove& move) const {
    for (const Step& pattern : parse_steps(to_beta_ ? move.alpha : move.beta)) {
      if (progress.steps == steps_.size()) return false;
      const Step& step = steps_[progress.steps++];
      if (progress.source.is_object()) progress.object = progress.source;
      if (!pattern.is_element) {
        if (step.is_element || pattern.text != step.text) return false;
        progress.source = progress.source[step.text];
        continue;
      }
      if (!step.is_element && !progress.source.is_object()) return false;
      const Element element = element_of(progress.source, step.text);
      if (!pattern.is_any() && element.name != pattern.text) return false;
      if (pattern.is_any()) progress.captured.push_back(element);
      progress.source = element.value;
    }
    if (progress.source.is_object()) progress.object = progress.source;
    return true;
  }

  // Goes to the place of the row. An element that the source does not have as such, like the mount
  // of a compilation cache, has the name in the innermost object of the source.
  bool follow_target(Progress& progress, const PathMove& move) const {
    std::size_t next = 0;
    for (const Step& step : parse_steps(to_beta_ ? move.beta : move.alpha)) {
      bool has_entered = false;
      if (!step.is_element) {
        has_entered = progress.target.enter_member(step.text);
      } else if (!step.is_any()) {
        has_entered = progress.target.enter_element({.value = {}, .name = step.text});
      } else if (next < progress.captured.size()) {
        has_entered = progress.target.enter_element(progress.captured[next++]);
      } else {
        has_entered = progress.target.enter_element(
            {.value = progress.object, .name = name_in(progress.object)});
      }
      if (!has_entered) return false;
    }
    return true;
  }

  bool follow_rest(Progress& progress) const {
    for (; progress.steps < steps_.size(); ++progress.steps) {
      const Step& step = steps_[progress.steps];
      if (!step.is_element) {
        if (!progress.target.enter_member(step.text)) return false;
        progress.source = progress.source[step.text];
        continue;
      }
      const Element element = element_of(progress.source, step.text);
      if (!progress.target.enter_element(element)) return false;
      progress.source = element.value;
    }
    return true;
  }

  static constexpr int kExact = 2;

  std::vector<Step> steps_;
  const KindPaths& kind_;
  bool to_beta_;
  Progress root_;
  std::string best_;
  int score_ = -1;
};

}  // namespace

std::string convert_field_path(std::string_view path, const ObjectVersions& object,
                               Version target) {
  const KindPaths* const kind = find_paths(object.kind);
  const std::string_view first = path.substr(0, path.find_first_of(".["));
  if (kind == nullptr || (first != "spec" && first != "status")) {
    return std::string(path);
  }
  return PathConversion(path, *kind, object, target).run();
}

std::string_view annotation_of_kept_field(std::string_view path, const ObjectVersions& object) {
  const auto* const kept = std::ranges::find(kKeptFields, object.kind, &KeptFields::kind);
  if (kept == std::end(kKeptFields)) return {};
  PathConversion paths(path, *find_paths(object.kind), object, Version::kV1beta1);
  const bool is_kept = std::ranges::any_of(kept->fields, [&](std::string_view field) {
    return paths.is_within({field, {}});
  });
  if (!is_kept) return {};
  paths.run();
  return paths.is_exact() ? std::string_view() : kept->annotation;
}

Version version_of_field_path(std::string_view path, std::string_view kind_name) {
  const KindPaths* const kind = find_paths(kind_name);
  if (kind == nullptr) return Version::kV1alpha1;
  const std::vector<Step> steps = parse_steps(path);
  if (steps.size() < 2 || steps[0].text != "spec") return Version::kV1beta1;
  const Type& spec = *kind->beta.find("spec")->type;
  return spec.find(steps[1].text) == nullptr ? Version::kV1alpha1 : Version::kV1beta1;
}

}  // namespace dynamo::conversion
