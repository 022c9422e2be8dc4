#include <cstddef>

#include "render/document/overlay.hpp"
#include "render/pod/pod.hpp"

namespace dynamo::render {
namespace {

std::span<const Container> containers_of(json::Value list, Block block, Arena& arena) {
  if (!list.is_array()) return {};
  ArenaList<Container> containers(arena, list.size());
  std::size_t index = 0;
  for (const json::Value user : list.elements()) {
    // Skips entries that are not objects; the type rule reports them.
    if (user.is_object()) containers.push(plain_container(user, block, index, arena));
    ++index;
  }
  return containers.items();
}

std::span<const Volume> volumes_of(json::Value list, Arena& arena) {
  if (!list.is_array()) return {};
  ArenaList<Volume> volumes(arena, list.size());
  std::size_t index = 0;
  for (const json::Value volume : list.elements()) {
    const std::size_t at = index++;
    if (!volume.is_object()) continue;
    volumes.push({.name = volume["name"].string_or_empty(),
                  .definition = volume,
                  .origin = origin_in(Block::kTemplate, "volumes").at(at)});
  }
  return volumes.items();
}

}  // namespace

std::optional<Pod> render_template(json::Value pod_template, Arena& arena) {
  const json::Value spec = pod_template["spec"];
  Pod pod{.role = PodRole::kCheckpoint, .block = Block::kTemplate, .user = spec};
  pod.containers = containers_of(spec["containers"], Block::kTemplateContainer, arena);
  if (pod.containers.empty()) return std::nullopt;
  pod.init_containers = containers_of(spec["initContainers"], Block::kTemplateInitContainer, arena);
  pod.volumes = volumes_of(spec["volumes"], arena);
  pod.service_account = spec["serviceAccountName"].string_or_empty();
  pod.service_account_origin = pod.field("serviceAccountName");
  pod.scheduler = spec["schedulerName"].string_or_empty();
  pod.scheduler_origin = pod.field("schedulerName");
  pod.restart_policy = "Never";  // regardless of the template
  const json::Value grace = spec["terminationGracePeriodSeconds"];
  if (!is_empty(grace)) pod.grace_period = grace;
  pod.default_grace_period_seconds = 30;
  return pod;
}

}  // namespace dynamo::render
