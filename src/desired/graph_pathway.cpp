#include "desired/graph_pathway.hpp"

#include "desired/settings.hpp"
#include "kube/object/conditions.hpp"
#include "render/component/component.hpp"

namespace dynamo::reconciler::graph {

GraphPathway pathway_of(const api::ClusterFacts& facts, const api::GraphDeployment& graph,
                        bool has_components) {
  const bool by_grove = facts.grove_served == api::Fact::kYes &&
                        !render::is_grove_disabled(graph.metadata().annotations());
  if (!by_grove) return {.pathway = component_pathway(facts)};
  const kube::Conditions conditions = kube::Conditions::read(graph.status()["conditions"]);
  if (!has_components && conditions.find(kByGrove) == nullptr) {
    return {.pathway = render::Pathway::kGrove};
  }
  return {.pathway = component_pathway(facts), .avoids_grove = true};
}

}  // namespace dynamo::reconciler::graph
