// Why experimental features of v1beta1 cannot be rendered.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "manifests/hub_builders.hpp"
#include "render/component/experimental.hpp"
#include "render/component/resources.hpp"
#include "render/pod/backend.hpp"
#include "render/pod/launch.hpp"

namespace dynamo::render {
namespace {

RenderRefusal refused_at(const api::FieldPath& path, std::string reason) {
  return {path.render(), std::move(reason)};
}

bool has_container(const Component& component, std::string_view name) {
  for (const json::Value container : component.pod()["containers"].elements()) {
    if (container["name"].string_or_empty() == name) return true;
  }
  return false;
}

std::optional<RenderRefusal> refusal_of_clients(const Component& component,
                                                const api::FieldPath& service) {
  const api::FieldPath clients = service.child("extraClientContainers");
  std::vector<std::string_view> names;
  const json::Value list = component.hub["experimental"]["gpuMemoryService"];
  for (const json::Value client : list["extraClientContainers"].elements()) {
    const std::string_view name = client.string_or_empty();
    const api::FieldPath path = clients.index(names.size());
    if (std::ranges::find(names, name) != names.end()) {
      return refused_at(path, "must not be repeated");
    }
    if (!has_container(component, name)) {
      return refused_at(path, "must name a container of the podTemplate");
    }
    names.push_back(name);
  }
  return std::nullopt;
}

std::optional<RenderRefusal> refusal_of_memory_service(const Component& component,
                                                       const api::FieldPath& path) {
  const EngineSharing sharing = memory_service_of(component);
  const api::FieldPath service = path.child("gpuMemoryService");
  if (sharing == EngineSharing::kNone) return std::nullopt;
  if (counted_gpus(component) == 0) {
    return refused_at(service,
                      "needs a whole number of GPUs in the resources of the main container");
  }
  if (sharing == EngineSharing::kInPod) return refusal_of_clients(component, service);
  const api::FieldPath mode = service.child("mode");
  if (!is_run_by_grove(component)) return refused_at(mode, "must not be InterPod outside Grove");
  if (component.node_count <= kMaxListedNodes) return std::nullopt;
  return refused_at(
      mode, "must not be InterPod on more than " + std::to_string(kMaxListedNodes) + " nodes");
}

}  // namespace

std::optional<RenderRefusal> refusal_of_features(const HubComponent& of,
                                                 const api::FieldPath& path) {
  const Component& component = of.component;
  if (auto refused = refusal_of_memory_service(component, path)) return refused;
  const Framework framework = backend_of(component).framework;
  if (failover_of(component) == EngineSharing::kInPod && framework != Framework::kVllm) {
    return refused_at(path.child("failover"),
                      "must be left out, or be InterPod, for an engine other than vllm");
  }
  const json::Value policy = transfer_policy_of(component);
  if (!policy["clusterTopologyName"].string_or_empty().empty() && !is_run_by_grove(component)) {
    const api::FieldPath spec("spec");
    const api::FieldPath experimental = spec.child("experimental");
    const api::FieldPath of_policy = experimental.child("kvTransferPolicy");
    return refused_at(of_policy.child("clusterTopologyName"),
                      "must be left out, with a labelKey instead, outside Grove");
  }
  return std::nullopt;
}

}  // namespace dynamo::render
