// Chooses the pathway of a graph from the served APIs and its existing objects.
#pragma once

#include <string>
#include <string_view>

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "render/document/profile.hpp"

namespace dynamo::reconciler::graph {

// Condition of a graph that predates Grove and continues without it: False. Other graphs do not
// have it.
inline constexpr std::string_view kByGrove = "RunsByGrove";

// The existing objects that the graph owns.
struct GraphWorkloads {
  bool has_components = false;
  bool has_clique_set = false;
};

struct GraphPathway {
  render::Pathway pathway = render::Pathway::kUnknown;
  // Grove is served, but the graph's components are older and continue without it: a switch to
  // Grove would terminate all running pods of the graph.
  bool avoids_grove = false;
  // Grove runs the graph's pods, but its annotation disables Grove or the cluster does not serve it
  // any more. The graph is refused, and its objects stay.
  bool leaves_grove = false;
};

// Pure.
GraphPathway pathway_of(const api::ClusterFacts& facts, const api::GraphDeployment& graph,
                        const GraphWorkloads& workloads);

// Why a graph with `leaves_grove` is refused.
std::string refusal_of_leaving(const api::GraphDeployment& graph);

// Whether Grove runs a graph with this pathway: its annotation does not disable it.
bool is_run_by_grove(const api::GraphDeployment& graph, render::Pathway pathway);

}  // namespace dynamo::reconciler::graph
