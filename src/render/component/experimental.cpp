#include "render/component/experimental.hpp"

#include <algorithm>

#include "render/document/well_known.hpp"

namespace dynamo::render {
namespace {

constexpr std::string_view kBetweenPods = "InterPod";

json::Value feature(const Component& component, std::string_view name) {
  return component.reads_hub ? component.hub["experimental"][name] : json::Value{};
}

EngineSharing sharing_in(json::Value feature) {
  if (!feature.is_object()) return EngineSharing::kNone;
  const bool is_between = feature["mode"].string_or_empty() == kBetweenPods;
  return is_between ? EngineSharing::kBetweenPods : EngineSharing::kInPod;
}

}  // namespace

EngineSharing memory_service_of(const Component& component) {
  return sharing_in(feature(component, "gpuMemoryService"));
}

EngineSharing failover_of(const Component& component) {
  return sharing_in(feature(component, "failover"));
}

std::int64_t engines_per_node(const Component& component) {
  if (failover_of(component) != EngineSharing::kBetweenPods) return 1;
  const json::Value shadows = feature(component, "failover")["numShadows"];
  return 1 + std::max<std::int64_t>(shadows.integer().value_or(1), 1);
}

std::string_view device_class_of(const Component& component) {
  constexpr std::string_view kDefault = "gpu.nvidia.com";
  const json::Value service = feature(component, "gpuMemoryService");
  const std::string_view given = service["deviceClassName"].string_or_empty();
  return given.empty() ? kDefault : given;
}

json::Value transfer_policy_of(const Component& component) {
  const json::Value policy = component.transfer_policy;
  if (!component.reads_hub || !is_worker_like(component.type)) return {};
  const bool has_source = !policy["labelKey"].string_or_empty().empty() ||
                          !policy["clusterTopologyName"].string_or_empty().empty();
  return has_source ? policy : json::Value{};
}

json::Value checkpoint_of(const Component& component) {
  const json::Value checkpoint = feature(component, "checkpoint");
  return checkpoint["enabled"].boolean().value_or(false) ? checkpoint : json::Value{};
}

bool waits_for_checkpoint(const Component& component) {
  return checkpoint_of(component)["startupPolicy"].string_or_empty() == "WaitForCheckpoint";
}

std::string_view checkpointed_container(const Component& component) {
  const std::string_view given = checkpoint_of(component)["targetContainerName"].string_or_empty();
  return given.empty() ? kMainContainerName : given;
}

}  // namespace dynamo::render
