// Why components of v1beta1 cannot be rendered.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "manifests/hub_builders.hpp"
#include "manifests/legacy_config.hpp"
#include "render/component/experimental.hpp"
#include "render/component/resources.hpp"
#include "render/document/well_known.hpp"
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

bool is_read_only(json::Value source) {
  return source["readOnly"].boolean().value_or(false);
}

// The compilation cache of a component; the path is "" for none.
struct Cache {
  std::string_view claim;
  std::string_view path;
};

Cache cache_of(const Component& component) {
  const json::Value cache = component.hub["compilationCache"];
  const std::string_view claim = cache["pvcName"].string_or_empty();
  const std::string_view path = cache["mountPath"].string_or_empty();
  const bool has_default =
      path.empty() && cache.is_object() && backend_of(component).framework == Framework::kVllm;
  return {claim, has_default ? kVllmCachePath : path};
}

std::optional<RenderRefusal> refusal_of_mounts(const Component& component,
                                               const api::FieldPath& pod) {
  const api::FieldPath main = pod.child("mainContainer");
  const api::FieldPath mounts = main.child("volumeMounts");
  const Cache cache = cache_of(component);
  std::size_t index = 0;
  for (const json::Value mount : component.main_container()["volumeMounts"].elements()) {
    const api::FieldPath at = mounts.index(index++);
    const std::string_view volume = mount["name"].string_or_empty();
    const std::string_view path = mount["mountPath"].string_or_empty();
    if (volume.empty()) return refused_at(at.child("name"), "must name a volume");
    if (path.empty())
      return refused_at(at.child("mountPath"), "must say where the volume is mounted");
    if (path != cache.path) continue;
    if (volume != cache.claim) {
      return refused_at(at.child("mountPath"), "must not be the path of the compilation cache");
    }
    if (is_read_only(mount)) {
      return refused_at(at.child("readOnly"),
                        "must be left out where the compilation cache is mounted");
    }
  }
  return std::nullopt;
}

// A volume with the name of the compilation cache must be its claim.
std::optional<RenderRefusal> refusal_of_volumes(const Component& component,
                                                const api::FieldPath& pod) {
  const Cache cache = cache_of(component);
  const api::FieldPath volumes = pod.child("volumes");
  std::size_t index = 0;
  bool is_found = false;
  for (const json::Value volume : component.pod()["volumes"].elements()) {
    const api::FieldPath at = volumes.index(index++);
    if (cache.claim.empty() || volume["name"].string_or_empty() != cache.claim) continue;
    if (is_found) return refused_at(at, "must not be repeated");
    is_found = true;
    const json::Value source = volume["persistentVolumeClaim"];
    if (source["claimName"].string_or_empty() == cache.claim && !is_read_only(source)) continue;
    return refused_at(at, "must be the claim of the compilation cache, and writable");
  }
  return std::nullopt;
}

bool has_legacy_config(const Component& component) {
  for (const json::Value list : {component.graph_envs, component.main_container()["env"]}) {
    for (const json::Value variable : list.elements()) {
      if (variable["name"].string_or_empty() == kLegacyConfigVariable) return true;
    }
  }
  return false;
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

std::optional<RenderRefusal> refusal_of_template(const Component& component,
                                                 const api::FieldPath& path) {
  const std::string_view sidecar = component.frontend_sidecar();
  if (!sidecar.empty() && !has_container(component, sidecar)) {
    return refused_at(path.child("frontendSidecar"), "must name a container of the podTemplate");
  }
  if (component.in_graph && !is_run_by_grove(component) && has_legacy_config(component)) {
    return refused_at(path.child("envs"),
                      "must not have DYN_DEPLOYMENT_CONFIG: set replicas and resources instead");
  }
  const api::FieldPath cache = path.child("compilationCache");
  if (component.hub["compilationCache"].is_object() && cache_of(component).claim.empty()) {
    return refused_at(cache.child("pvcName"), "must name a PersistentVolumeClaim");
  }
  const api::FieldPath pod = path.child("extraPodSpec");
  auto refused = refusal_of_mounts(component, pod);
  return refused ? refused : refusal_of_volumes(component, pod);
}

}  // namespace dynamo::render
