#include "render/claims.hpp"

#include <cstddef>

#include "render/limits.hpp"

namespace dynamo::render {

std::span<const Claim> graph_claims(const api::GraphDeployment& graph, Arena& arena) {
  const json::Value list = graph.pvcs();
  ArenaList<Claim> claims(arena, list_size(list));
  std::size_t index = 0;
  for (const json::Value entry : list.elements()) {
    const Origin origin = origin_in(Block::kGraphSpec, "pvcs").at(index++);
    const std::string_view name = entry["name"].string_or_empty();
    if (name.empty()) continue;
    claims.push({.name = name,
                 .definition = entry,
                 .origin = origin,
                 .created = entry["create"].boolean().value_or(false)});
  }
  return claims.items();
}

std::span<const ClaimUse> claims_used(const Component& component, Arena& arena) {
  const json::Value mounts = component.service.volume_mounts();
  const json::Value volumes = component.pod()["volumes"];
  ArenaList<ClaimUse> uses(arena, list_size(mounts) + list_size(volumes));
  std::size_t index = 0;
  for (const json::Value mount : mounts.elements()) {
    uses.push({mount["name"].string_or_empty(),
               origin_in(Block::kService, "volumeMounts").at(index++).child("name")});
  }
  index = 0;
  for (const json::Value volume : volumes.elements()) {
    const Origin origin = origin_in(Block::kPod, "volumes").at(index++);
    const json::Value claim = volume["persistentVolumeClaim"];
    if (!claim.is_nothing()) {
      uses.push(
          {claim["claimName"].string_or_empty(), origin.child("persistentVolumeClaim.claimName")});
    }
  }
  return uses.items();
}

}  // namespace dynamo::render
