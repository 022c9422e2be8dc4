#include "tests/support/conversion_round_trip.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "conversion/convert.hpp"
#include "conversion/decode.hpp"
#include "conversion/encode.hpp"
#include "conversion/types.hpp"
#include "json/writer.hpp"

namespace dynamo::test {
namespace {

struct ConvertedKind {
  std::string_view kind;
  const conversion::Type& alpha;
  const conversion::Type& beta;
  bool is_pruned = true;  // in v1beta1
};

const ConvertedKind* find_converted_kind(std::string_view kind) {
  namespace types = conversion::types;
  static constexpr ConvertedKind kConvertedKinds[] = {
      {"DynamoGraphDeployment", types::kAlphaGraphDeployment, types::kBetaGraphDeployment},
      {"DynamoComponentDeployment", types::kAlphaComponentDeployment,
       types::kBetaComponentDeployment},
      {"DynamoGraphDeploymentRequest", types::kAlphaGraphDeploymentRequest,
       types::kBetaGraphDeploymentRequest},
      {"DynamoGraphDeploymentScalingAdapter", types::kAlphaGraphDeploymentScalingAdapter,
       types::kBetaGraphDeploymentScalingAdapter, false}};
  const auto* const found = std::ranges::find(kConvertedKinds, kind, &ConvertedKind::kind);
  return found == std::end(kConvertedKinds) ? nullptr : found;
}

bool is_v1beta1(json::Value object) {
  return conversion::parse_api_version(object["apiVersion"].string_or_empty()) ==
         conversion::Version::kV1beta1;
}

// Whether any part has a value other than null and "".
bool has_content(json::Value value) {
  if (value.is_string()) return !value.string_or_empty().empty();
  for (const json::Member member : value.members()) {
    if (has_content(member.value)) return true;
  }
  for (const json::Value element : value.elements()) {
    if (has_content(element)) return true;
  }
  return !value.is_nothing() && !value.is_object() && !value.is_array();
}

bool is_present_without_content(json::Value value) {
  return value.exists() && !has_content(value);
}

json::Value find_container(json::Value containers, std::string_view name) {
  for (const json::Value each : containers.elements()) {
    if (each["name"].string_or_empty() == name) return each;
  }
  return {};
}

bool is_empty_object(json::Value value) {
  return value.is_object() && value.size() == 0;
}

// v1beta1 omits an opaque value that Go holds by value if it is `{}`.
bool has_empty_opaque_value(json::Value value) {
  if (is_empty_object(value["providerOverride"]["value"]) || is_empty_object(value["parameters"])) {
    return true;
  }
  for (const json::Member member : value.members()) {
    if (has_empty_opaque_value(member.value)) return true;
  }
  for (const json::Value element : value.elements()) {
    if (has_empty_opaque_value(element)) return true;
  }
  return false;
}

// Whether two mounts of the list have the same name and the same path, which `path` names.
bool has_equal_mounts(json::Value mounts, std::string_view path) {
  std::set<std::pair<std::string_view, std::string_view>> keys;
  for (const json::Value each : mounts.elements()) {
    if (!keys.emplace(each["name"].string_or_empty(), each[path].string_or_empty()).second) {
      return true;
    }
  }
  return false;
}

std::string_view find_loss_of_mounts(json::Value service) {
  const json::Value mounts = service["volumeMounts"];
  const json::Value others = service["extraPodSpec"]["mainContainer"]["volumeMounts"];
  if (has_equal_mounts(mounts, "mountPoint")) return "one of two equal mounts";
  for (const json::Value mount : mounts.elements()) {
    const bool is_cache = mount["useAsCompilationCache"].boolean().value_or(false);
    if (is_cache && mounts.size() + others.size() > 1) return "the order of mounts";
    for (const json::Value each : others.elements()) {
      if (mount["name"].string_or_empty() == each["name"].string_or_empty() &&
          mount["mountPoint"].string_or_empty() == each["mountPath"].string_or_empty()) {
        return "one of two equal mounts";
      }
    }
  }
  return "";
}

bool has_named_port(json::Value probe) {
  for (const std::string_view handler : {"httpGet", "tcpSocket"}) {
    if (probe[handler]["port"].is_string()) return true;
  }
  return false;
}

constexpr std::string_view kMounts = "\"volumeMounts\"";
constexpr auto kNone = std::string_view::npos;

// `has_mounts`: the payload from v1beta1 contains mounts of a container.
std::string_view find_loss_of_service(json::Value service, bool has_mounts) {
  const json::Value extra = service["extraPodSpec"];
  const std::string_view type = service["componentType"].string_or_empty();
  if (type == "prefill" || type == "decode") return "the componentType prefill or decode";
  if (find_container(extra["containers"], "main").exists()) return "a second container main";
  // The container takes the place of the sidecar in the pod template.
  if (service["frontendSidecar"].exists() &&
      find_container(extra["containers"], "sidecar-frontend").exists()) {
    return "a sidecar whose name another container has";
  }
  if (is_present_without_content(extra["mainContainer"])) return "an empty mainContainer";
  for (const std::string_view probe : {"livenessProbe", "readinessProbe"}) {
    // Go merges the numbers of two ports even if one is a name.
    const json::Value ours = service[probe];
    const json::Value theirs = extra["mainContainer"][probe];
    if (ours.exists() && theirs.exists() && (has_named_port(ours) || has_named_port(theirs))) {
      return "which of two probes has a member";
    }
  }
  // Without a main container, that of the payload returns with its mounts.
  if (has_mounts && !service["volumeMounts"].exists() && !extra["mainContainer"].exists()) {
    return "the absence of mounts";
  }
  return find_loss_of_mounts(service);
}

// Whether the template only names its main container, and perhaps has metadata that v1alpha1 lacks.
bool is_bare(json::Value pod_template) {
  const json::Value spec = pod_template["spec"];
  const json::Value main = find_container(spec["containers"], "main");
  return main.exists() && main.size() == 1 && spec.size() == 1 && spec["containers"].size() == 1 &&
         pod_template["metadata"]["labels"].size() == 0 &&
         pod_template["metadata"]["annotations"].size() == 0;
}

// `payload` is what the conversion from v1alpha1 saved. Parts of it return although the live object
// lacks the field.
std::string_view find_loss_of_component(json::Value component, std::string_view payload) {
  const auto has_saved = [payload](std::string_view name) {
    return payload.find(name) != std::string_view::npos;
  };
  const json::Value containers = component["podTemplate"]["spec"]["containers"];
  if (component["compilationCache"].exists() &&
      find_container(containers, "main")["volumeMounts"].size() > 1) {
    return "the order of mounts";
  }
  if (!component["podTemplate"].exists() && !payload.empty()) return "the absence of a template";
  if (containers.is_array() && containers.size() == 0) return "an empty list of containers";
  if (is_bare(component["podTemplate"])) return "a template that only names main";
  if (!component["sharedMemorySize"].exists() && has_saved("\"disabled\"")) {
    return "the absence of sharedMemorySize";
  }
  if (has_equal_mounts(find_container(containers, "main")["volumeMounts"], "mountPath")) {
    return "one of two equal mounts";
  }
  if (!find_container(containers, "main").exists() && has_saved("\"useAsCompilationCache\"")) {
    return "the absence of a second cache";
  }
  if (component["type"].string_or_empty() == "worker" && has_saved("\"subComponentType\"")) {
    return "the type worker";
  }
  if (component["frontendSidecar"].string_or_empty() == "sidecar-frontend" &&
      !find_container(containers, "sidecar-frontend").exists() &&
      has_saved("\"frontendSidecar\"")) {
    return "the absence of a sidecar";
  }
  return "";
}

std::string_view find_loss_of_components(json::Value object) {
  const json::Value spec = object["spec"];
  if (!is_v1beta1(object)) {
    const json::Value kept = object["metadata"]["annotations"];
    const bool has_mounts = kept["nvidia.com/dcd-spec"].string_or_empty().find(kMounts) != kNone ||
                            kept["nvidia.com/dgd-spec"].string_or_empty().find(kMounts) != kNone;
    if (!spec["services"].exists()) return find_loss_of_service(spec, has_mounts);
    for (const json::Member service : spec["services"].members()) {
      const std::string_view loss = find_loss_of_service(service.value, has_mounts);
      if (!loss.empty()) return loss;
    }
    return "";
  }
  const json::Value annotations = object["metadata"]["annotations"];
  if (object["kind"].string_or_empty() == "DynamoComponentDeployment") {
    return find_loss_of_component(spec, annotations["nvidia.com/dcd-spec"].string_or_empty());
  }
  for (const json::Value component : spec["components"].elements()) {
    const std::string_view loss =
        find_loss_of_component(component, annotations["nvidia.com/dgd-spec"].string_or_empty());
    if (!loss.empty()) return loss;
  }
  return "";
}

// Go reads the configuration of profiling with numbers of 53 bits.
bool has_long_number(json::Value value) {
  constexpr std::int64_t kLongest = std::int64_t{1} << 53U;
  for (const json::Member member : value.members()) {
    if (has_long_number(member.value)) return true;
  }
  for (const json::Value element : value.elements()) {
    if (has_long_number(element)) return true;
  }
  const std::int64_t number = value.integer().value_or(0);
  return number > kLongest || number < -kLongest;
}

std::string_view find_loss_of_request(json::Value object) {
  const json::Value spec = object["spec"];
  if (!is_v1beta1(object)) {
    const json::Value profiling = spec["profilingConfig"];
    const json::Value overrides = spec["deploymentOverrides"];
    if (!has_content(profiling["profilerImage"]) && has_content(overrides["workersImage"])) {
      return "the absence of profilerImage";
    }
    if (has_long_number(profiling["config"])) return "the last digits of a number";
    for (const json::Value part : {overrides, profiling["resources"]}) {
      if (is_present_without_content(part)) return "an empty part";
    }
    return "";
  }
  if (!spec["autoApply"].exists()) return "the absence of autoApply";
  const std::string_view payload =
      object["metadata"]["annotations"]["nvidia.com/dgdr-spec"].string_or_empty();
  const json::Value workload = spec["workload"];
  const bool restores_sla = workload["isl"].exists() || workload["osl"].exists() ||
                            payload.find("\"sla\"") != std::string_view::npos;
  if (!spec["sla"].exists() && restores_sla) return "the absence of sla";
  if (!spec["image"].exists() && payload.find("\"workersImage\"") != std::string_view::npos) {
    return "the absence of image";
  }
  const json::Value job = spec["overrides"]["profilingJob"];
  const json::Value containers = job["template"]["spec"]["containers"];
  if (containers.is_array() && containers.size() == 0) return "an empty list of containers";
  if (find_container(containers, "").exists()) return "an empty name of a container";
  for (const json::Value part :
       {spec["sla"], workload, spec["modelCache"], spec["features"], spec["features"]["planner"],
        spec["overrides"], job, job["template"]}) {
    if (is_present_without_content(part)) return "an empty part";
  }
  return "";
}

}  // namespace

std::string reencoded(json::Value object) {
  const std::string_view kind_name = object["kind"].string_or_empty();
  const ConvertedKind& kind = *find_converted_kind(kind_name);
  const bool is_beta = is_v1beta1(object);
  conversion::Arena arena;
  const auto decoded =
      decode(arena, object, is_beta ? kind.beta : kind.alpha, conversion::NameMatch::kExact);
  if (decoded.error) return {};
  std::string text;
  json::Writer out(text);
  out.start_object().member("apiVersion", object["apiVersion"].string_or_empty());
  out.member("kind", kind_name);
  encode_members(
      text, decoded.root,
      is_beta && kind.is_pruned ? conversion::Encoding::kPruned : conversion::Encoding::kGo);
  out.end_object();
  return text;
}

std::string_view find_known_loss(json::Value object) {
  if (has_empty_opaque_value(object["spec"])) return "an empty opaque value";
  const std::string_view kind = object["kind"].string_or_empty();
  if (kind == "DynamoGraphDeploymentScalingAdapter") return "";
  return kind == "DynamoGraphDeploymentRequest" ? find_loss_of_request(object)
                                                : find_loss_of_components(object);
}

}  // namespace dynamo::test
