// Chooses the pathway of a graph from the served APIs and its existing components.
#pragma once

#include <string_view>

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "render/document/profile.hpp"

namespace dynamo::reconciler::graph {

// Condition of a graph that predates Grove and continues without it: False. Other graphs do not
// have it.
inline constexpr std::string_view kByGrove = "RunsByGrove";

struct GraphPathway {
  render::Pathway pathway = render::Pathway::kUnknown;
  // Grove is served, but the graph's components are older and continue without it: a switch to
  // Grove would terminate all running pods of the graph.
  bool avoids_grove = false;
};

// `has_components`: the graph owns components. Pure.
GraphPathway pathway_of(const api::ClusterFacts& facts, const api::GraphDeployment& graph,
                        bool has_components);

}  // namespace dynamo::reconciler::graph
