// Views of objects for the rules of later operators, and the fields that several rules read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/context.hpp"
#include "api/field_path.hpp"
#include "json/document.hpp"
#include "validators/hub/validate.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::hub {

inline constexpr std::string_view kProviderAnnotation = "nvidia.com/workload-provider";
inline constexpr std::string_view kDiscoveryModeAnnotation =
    "nvidia.com/dynamo-kube-discovery-mode";
inline constexpr std::string_view kExecutorAnnotation =
    "nvidia.com/vllm-distributed-executor-backend";
inline constexpr std::string_view kPowerLimitAnnotation = "dynamo.nvidia.com/gpu-power-limit";

// The whole object.
struct ObjectView {
  const Input& input;
  // The name of the PodCliqueSet that Grove would run; "" for a component.
  std::string clique_set = {};

  const api::Context& context() const { return input.context; }
  bool is_graph() const { return context().kind == api::Kind::kGraphDeployment; }
  bool is_update() const { return input.old.exists(); }
  json::Value spec() const { return input.object["spec"]; }
  json::Value old_spec() const { return input.old["spec"]; }
  json::Value components() const { return spec()["components"]; }
  json::Value annotation(std::string_view key) const {
    return input.object["metadata"]["annotations"][key];
  }
  json::Value old_annotation(std::string_view key) const {
    return input.old["metadata"]["annotations"][key];
  }
  std::string_view backend_framework() const {
    return spec()["backendFramework"].string_or_empty();
  }
  // Whether Grove runs the graph. The stored provider decides; without one, the cluster and the
  // annotation nvidia.com/enable-grove. Always kNo for a component.
  api::Fact is_on_grove() const;
  // Whether the stored provider is grove.
  bool has_grove_provider() const {
    return annotation(kProviderAnnotation).string_or_empty() == "grove";
  }
};

// One component: an entry of spec.components of a graph, or the spec of a component.
struct ComponentView {
  const ObjectView& object;
  json::Value spec;
  json::Value old;  // the component of that name before an update; else absent
  const api::FieldPath& path;
};

// The same in v1alpha1: an entry of spec.services of a graph, or the spec of a component.
struct AlphaServiceView {
  const ObjectView& object;
  json::Value spec;
  json::Value old;
  const api::FieldPath& path;
};

// GPU memory service, failover and checkpoint of a component.
inline json::Value gpu_memory_of(json::Value component) {
  return component["experimental"]["gpuMemoryService"];
}
inline json::Value failover_of(json::Value component) {
  return component["experimental"]["failover"];
}
inline json::Value checkpoint_of(json::Value component) {
  return component["experimental"]["checkpoint"];
}
// Whether the `mode` of a GPU memory service or a failover is InterPod; IntraPod is the default.
inline bool is_inter_pod(json::Value block) {
  return block["mode"].string_or_empty() == "InterPod";
}

bool is_true(json::Value value);
// Whether vLLM can distribute over the backend of that name: mp or ray, in any case.
bool is_executor_backend(std::string_view name);
bool is_endpoint_picker(json::Value component);
// 1 without `multinode`; without a count, the API's default.
std::int64_t node_count(json::Value component);
inline bool is_multinode(json::Value component) {
  return node_count(component) > 1;
}
// Whether Grove runs the component as a PodCliqueScalingGroup.
bool renders_scaling_group(json::Value component);

json::Value pod_spec(json::Value component);
json::Value power_limit(json::Value component);

struct IndexedValue {
  json::Value value;  // absent: not found
  std::size_t index = 0;
};
// The element of a list with that name.
IndexedValue find_named(json::Value list, std::string_view name);
// The names in a list, for many lookups.
class NameSet {
 public:
  // Holds the member `name` of each element.
  explicit NameSet(json::Value list);
  bool contains(std::string_view name) const;

 private:
  std::vector<std::string_view> names_;  // sorted
};

// The container named main.
IndexedValue main_container(json::Value component);

// GPUs of the main container: limits, otherwise requests, of the first resource that the operator
// takes for a GPU. nullopt unless it is a whole number of at least 1.
std::optional<std::uint64_t> gpu_count(json::Value component);

// Whether two values are equal; absent and null are.
bool are_same(json::Value left, json::Value right);

// Refuses `path` unless Grove runs the graph. Warns if that is unknown.
void require_grove(const ObjectView& object, const api::FieldPath& path, Report& report);

// "\"a\"", or `otherwise` for an empty text.
std::string quoted_or(std::string_view text, std::string_view otherwise);

}  // namespace dynamo::validators::hub
