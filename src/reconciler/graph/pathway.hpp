// How a graph runs, by what the cluster serves and by what runs already.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "render/profile.hpp"

namespace dynamo::reconciler::graph {

struct GraphPathway {
  render::Pathway pathway = render::Pathway::kUnknown;
  // Grove is served, but the graph's components are older and go on without it: to begin anew by
  // Grove would end all pods of a graph that runs.
  bool stays_off_grove = false;
};

// `has_components`: the graph owns some. Pure.
GraphPathway pathway_of(const api::ClusterFacts& facts, const api::GraphDeployment& graph,
                        bool has_components);

}  // namespace dynamo::reconciler::graph
