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

constexpr std::string_view kProviderAnnotation = "nvidia.com/workload-provider";
constexpr std::string_view kGroveSwitch = "nvidia.com/enable-grove";
constexpr std::string_view kGrove = "grove";
constexpr std::string_view kGroveApiVersion = "grove.io/v1alpha1";
constexpr std::string_view kPlannerImage = "nvcr.io/nvidia/ai-dynamo/dynamo-planner:";
// The image tag of an operator whose version is no semantic version.
constexpr std::string_view kUnknownVersion = "0.0.0-unknown";

bool is_create(const api::Context& context) {
  return context.operation == api::Operation::kCreate;
}

bool is_false(std::string_view text) {
  constexpr std::string_view kFalse = "false";
  return std::ranges::equal(text, kFalse, {}, [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
}

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
    const json::Value components = graph_["spec"]["components"];
    // A larger graph is refused, and so not changed.
    if (components.size() <= api::kMaxServices) {
      std::size_t index = 0;
      for (const json::Value component : components.elements()) {
        if (component.is_object()) set_component(component, index);
        ++index;
      }
    }
    if (is_create(context_)) set_origin_version();
  }

 private:
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

  void set_component(json::Value component, std::size_t index) {
    const std::string pointer = "/spec/components/" + std::to_string(index);
    if (component["replicas"].is_nothing()) {
      const std::int64_t number = replicas_of(component);
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
  std::int64_t replicas_of(json::Value component) const {
    for (const json::Value before : old_["spec"]["components"].elements()) {
      if (before["name"].string_or_empty() != component["name"].string_or_empty()) continue;
      const bool is_adapted =
          !component["scalingAdapter"].is_nothing() || !before["scalingAdapter"].is_nothing();
      return is_adapted ? before["replicas"].integer().value_or(1) : 1;
    }
    return 1;
  }

  void set_target(const std::string& pointer, json::Value holder, std::string_view target) {
    const json::Value given = holder["providerOverride"];
    if (provider_ != kGrove || given["apiVersion"].string_or_empty() != kGroveApiVersion) return;
    const json::Value present = given["target"];
    if (!present.is_nothing() && present.string() != "") return;
    patch_.add(pointer + "/providerOverride/target",
               [target](json::Writer& value) { value.string(target); });
  }

  static std::int64_t node_count(json::Value component) {
    constexpr std::int64_t kDefault = 2;  // of the schema
    const json::Value multinode = component["multinode"];
    return multinode.is_object() ? multinode["nodeCount"].integer().value_or(kDefault) : 1;
  }

  static bool is_between_pods(json::Value component) {
    return component["experimental"]["gpuMemoryService"]["mode"].string() == "InterPod";
  }

  static bool renders_group(json::Value component) {
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
  const bool is_unset = present.is_nothing() || present.string() == "";
  if (!component["spec"].is_object() || !is_unset || name.empty()) return;
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

void set_request_image(const api::Context& context, json::Value request, json::PatchWriter& patch) {
  const json::Value present = request["spec"]["image"];
  const bool is_unset = present.is_nothing() || present.string() == "";
  const auto version = canonical_version(context.settings.operator_version);
  if (!request["spec"].is_object() || !is_unset || !version) return;
  const std::string image = std::string(kPlannerImage) + *version;
  patch.add("/spec/image", [&image](json::Writer& value) { value.string(image); });
}

}  // namespace

void apply_later_defaults(const api::Context& context, json::Value object, json::Value old,
                          json::PatchWriter& patch) {
  const bool is_update = context.operation == api::Operation::kUpdate;
  if (!is_create(context) && !is_update) return;
  if (context.kind == api::Kind::kGraphDeployment) {
    GraphDefaults(context, object, old, patch).apply();
  } else if (context.kind == api::Kind::kComponentDeployment && is_create(context)) {
    set_component_name(object, patch);
  } else if (context.kind == api::Kind::kGraphDeploymentRequest && is_create(context)) {
    set_request_image(context, object, patch);
  }
}

}  // namespace dynamo::defaulters
