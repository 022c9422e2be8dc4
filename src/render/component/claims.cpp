#include "render/component/claims.hpp"

#include <cstddef>

#include "render/document/limits.hpp"

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

}  // namespace dynamo::render
