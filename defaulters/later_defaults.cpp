#include "defaulters/later_defaults.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/kinds/objects.hpp"
#include "api/limits.hpp"
#include "json/pointer.hpp"
#include "json/writer.hpp"

namespace dynamo::defaulters {
namespace {

using api::kProviderAnnotation;

constexpr std::string_view kGroveSwitch = "nvidia.com/enable-grove";
constexpr std::string_view kGrove = "grove";
constexpr std::string_view kGroveApiVersion = "grove.io/v1alpha1";
constexpr std::string_view kPlannerImage = "nvcr.io/nvidia/ai-dynamo/dynamo-planner:";
// The image tag of an operator whose version is no semantic version.
constexpr std::string_view kUnknownVersion = "0.0.0-unknown";
// The name of a service becomes a label value. The patch must not grow with a longer one.
constexpr std::size_t kLongestServiceName = 63;

bool is_unset(json::Value text) {
  return text.is_nothing() || text.string() == "";
}

bool is_create(const api::Context& context) {
  return context.operation == api::Operation::kCreate;
}

bool is_false(std::string_view text) {
  constexpr std::string_view kFalse = "false";
  return std::ranges::equal(text, kFalse, {}, [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
}

// Reads a graph of either version, and writes operations on it in that version.
class GraphDefaults {
 public:
  GraphDefaults(const api::Context& context, json::Value graph, json::Value old,
                json::PatchWriter& patch)
      : context_(context), graph_(graph), old_(old), patch_(patch) {}

  void apply() {
    const json::Value annotations = graph_["metadata"]["annotations"];
    has_annotations_ = annotations.is_object();
    provider_ = annotations[kProviderAnnotation].string_or_empty();
    if (is_create(context_)) set_provider();
    set_target("/spec", graph_["spec"], "PodCliqueSet");
    const std::string_view list = is_alpha() ? "services" : "components";
    const json::Value components = graph_["spec"][list];
    // A larger graph is refused, and so not changed.
    if (components.size() <= api::kMaxServices) {
      if (is_alpha()) {
        set_services(components);
      } else {
        set_components(components);
      }
    }
    if (is_create(context_)) set_origin_version();
  }

 private:
  bool is_alpha() const { return context_.version == api::Version::kV1alpha1; }

  void set_components(json::Value components) {
    std::size_t index = 0;
    for (const json::Value component : components.elements()) {
      const std::string pointer = "/spec/components/" + std::to_string(index++);
      if (!component.is_object()) continue;
      set_component(component, find_old_component(component["name"].string_or_empty()), pointer);
    }
  }

  void set_services(json::Value services) {
    for (const json::Member service : services.members()) {
      if (service.name.size() > kLongestServiceName || !service.value.is_object()) continue;
      // Of duplicate names only the last one counts.
      if (services[service.name].node() != service.value.node()) continue;
      std::string pointer = "/spec/services";
      json::append_pointer_token(pointer, service.name);
      set_component(service.value, old_["spec"]["services"][service.name], pointer);
    }
  }

  json::Value find_old_component(std::string_view name) const {
    for (const json::Value before : old_["spec"]["components"].elements()) {
      if (before["name"].string_or_empty() == name) return before;
    }
    return {};
  }

  // The choice of the operator between Grove and components of its own, stored once.
  void set_provider() {
    const json::Value annotations = graph_["metadata"]["annotations"];
    std::string_view chosen = "component";
    if (!is_false(annotations[kGroveSwitch].string_or_empty())) {
      if (context_.facts.grove_served == api::Fact::kUnknown) return;
      if (context_.facts.grove_served == api::Fact::kYes) chosen = kGrove;
    }
    if (provider_ == chosen) return;
    provider_ = chosen;
    annotate(kProviderAnnotation, chosen);
  }

  void set_origin_version() {
    const std::string& version = context_.settings.operator_version;
    const json::Value annotations = graph_["metadata"]["annotations"];
    if (version.empty() || annotations[api::kOriginVersionAnnotation].exists()) return;
    annotate(api::kOriginVersionAnnotation, version);
  }

  void annotate(std::string_view key, std::string_view text) {
    const json::Value metadata = graph_["metadata"];
    if (has_annotations_) {
      std::string pointer = "/metadata/annotations";
      json::append_pointer_token(pointer, key);
      patch_.add(pointer, [text](json::Writer& value) { value.string(text); });
    } else if (metadata.is_object() && metadata["annotations"].is_nothing()) {
      patch_.add("/metadata/annotations", [key, text](json::Writer& value) {
        value.start_object().member(key, text).end_object();
      });
      has_annotations_ = true;
    }
  }

  void set_component(json::Value component, json::Value before, const std::string& pointer) {
    if (component["replicas"].is_nothing()) {
      const std::int64_t number = replicas_of(component, before);
      patch_.add(pointer + "/replicas", [number](json::Writer& value) { value.integer(number); });
    }
    if (provider_ == kGrove && component["minAvailable"].is_nothing()) {
      patch_.add(pointer + "/minAvailable", [](json::Writer& value) { value.integer(1); });
    }
    const bool has_group = renders_group(component);
    set_target(pointer, component,
               has_group ? "PodCliqueScalingGroupConfig" : "PodCliqueTemplateSpec");
    if (node_count(component) <= 1 || is_between_pods(component)) return;
    for (const std::string_view role : {"leader", "worker"}) {
      set_target(std::string(pointer).append("/multinode/").append(role),
                 component["multinode"][role], "PodCliqueTemplateSpec");
    }
  }

  // A component that has or had a scaling adapter keeps its count: a manifest without one leaves it
  // to the adapter.
  std::int64_t replicas_of(json::Value component, json::Value before) const {
    if (!has_adapter(component) && !has_adapter(before)) return 1;
    return before["replicas"].integer().value_or(1);
  }

  bool has_adapter(json::Value component) const {
    return is_alpha() ? api::Service{component}.is_scaling_adapter_enabled()
                      : !component["scalingAdapter"].is_nothing();
  }

  void set_target(const std::string& pointer, json::Value holder, std::string_view target) {
    const json::Value given = holder["providerOverride"];
    if (provider_ != kGrove || given["apiVersion"].string_or_empty() != kGroveApiVersion) return;
    if (!is_unset(given["target"])) return;
    patch_.add(pointer + "/providerOverride/target",
               [target](json::Writer& value) { value.string(target); });
  }

  static std::int64_t node_count(json::Value component) {
    constexpr std::int64_t kDefault = 2;  // of the schema
    const json::Value multinode = component["multinode"];
    return multinode.is_object() ? multinode["nodeCount"].integer().value_or(kDefault) : 1;
  }

  bool is_between_pods(json::Value component) const {
    if (!is_alpha()) {
      return component["experimental"]["gpuMemoryService"]["mode"].string() == "InterPod";
    }
    const json::Value memory_service = component["gpuMemoryService"];
    return memory_service["enabled"].boolean().value_or(false) &&
           memory_service["mode"].string() == "interPod";
  }

  // v1alpha1 has no field that forces a group.
  bool renders_group(json::Value component) const {
    return node_count(component) > 1 || is_between_pods(component) ||
           component["experimental"]["grove"]["forceScalingGroup"].boolean().value_or(false);
  }

  const api::Context& context_;
  json::Value graph_;
  json::Value old_;
  json::PatchWriter& patch_;
  std::string_view provider_;
  bool has_annotations_ = false;
};

void set_component_name(json::Value component, json::PatchWriter& patch) {
  const std::string_view name = component["metadata"]["name"].string_or_empty();
  const json::Value present = component["spec"]["name"];
  if (!component["spec"].is_object() || !is_unset(present) || name.empty()) return;
  patch.add("/spec/name", [name](json::Writer& value) { value.string(name); });
}

// "v1.2-rc.1+build" as a tag: "1.2.0-rc.1". nullopt if the version is unknown.
std::optional<std::string> canonical_version(std::string_view version) {
  if (version.empty() || version == kUnknownVersion) return std::nullopt;
  if (version.front() == 'v' || version.front() == 'V') version.remove_prefix(1);
  version = version.substr(0, version.find('+'));
  const std::size_t stage = std::min(version.find('-'), version.size());
  std::string canonical(version.substr(0, stage));
  for (auto dots = std::ranges::count(canonical, '.'); dots < 2; ++dots) canonical += ".0";
  return canonical.append(version.substr(stage));
}

// The image of requests without one; "" if it is unknown.
std::string default_request_image(const api::Settings& settings) {
  if (!settings.default_request_image.empty()) return settings.default_request_image;
  const auto version = canonical_version(settings.operator_version);
  return version ? std::string(kPlannerImage) + *version : std::string{};
}

// v1alpha1 has the image of v1beta1 in profilingConfig, and else that of the workers.
void set_request_image(const api::Context& context, json::Value request, json::PatchWriter& patch) {
  const json::Value spec = request["spec"];
  const std::string image = default_request_image(context.settings);
  if (!spec.is_object() || image.empty()) return;
  const auto write_image = [&image](json::Writer& value) { value.string(image); };
  if (context.version == api::Version::kV1beta1) {
    if (is_unset(spec["image"])) patch.add("/spec/image", write_image);
    return;
  }
  const json::Value profiling = spec["profilingConfig"];
  const bool has_images = !is_unset(profiling["profilerImage"]) ||
                          !is_unset(spec["deploymentOverrides"]["workersImage"]);
  if (profiling.is_object() && !has_images) {
    patch.add("/spec/profilingConfig/profilerImage", write_image);
  }
}

}  // namespace

void apply_later_defaults(const api::Context& context, json::Value object, json::Value old,
                          json::PatchWriter& patch) {
  const bool is_update = context.operation == api::Operation::kUpdate;
  if (!is_create(context) && !is_update) return;
  if (context.kind == api::Kind::kGraphDeployment) {
    GraphDefaults(context, object, old, patch).apply();
  } else if (context.kind == api::Kind::kComponentDeployment && is_create(context)) {
    // The conversion names a component of v1alpha1.
    if (context.version == api::Version::kV1beta1) set_component_name(object, patch);
  } else if (context.kind == api::Kind::kGraphDeploymentRequest && is_create(context)) {
    set_request_image(context, object, patch);
  }
}

}  // namespace dynamo::defaulters
