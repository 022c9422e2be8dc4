#include "desired/graph_pathway.hpp"

#include "desired/kinds.hpp"
#include "desired/settings.hpp"
#include "kube/object/conditions.hpp"
#include "render/component/component.hpp"

namespace dynamo::reconciler::graph {
namespace {

// If the cluster does not serve Grove, only the graph's status shows that Grove ran it.
bool reports_cliques(const api::GraphDeployment& graph) {
  const json::Value services = graph.status()["services"];
  for (const json::Member service : services.members()) {
    const std::string_view kind = service.value["componentKind"].string_or_empty();
    if (kind == kPodCliques.kind || kind == kScalingGroups.kind) return true;
  }
  return false;
}

}  // namespace

GraphPathway pathway_of(const api::ClusterFacts& facts, const api::GraphDeployment& graph,
                        const GraphWorkloads& workloads) {
  const bool is_served = facts.grove_served == api::Fact::kYes;
  if (!is_served || render::is_grove_disabled(graph.metadata().annotations())) {
    const bool is_left_over = !is_served && !workloads.has_components && reports_cliques(graph);
    return {.pathway = component_pathway(facts),
            .leaves_grove = workloads.has_clique_set || is_left_over};
  }
  const kube::Conditions conditions = kube::Conditions::read(graph.status()["conditions"]);
  const bool has_avoided = workloads.has_components || conditions.find(kByGrove) != nullptr;
  if (workloads.has_clique_set || !has_avoided) return {.pathway = render::Pathway::kGrove};
  return {.pathway = component_pathway(facts), .avoids_grove = true};
}

std::string refusal_of_leaving(const api::GraphDeployment& graph) {
  if (render::is_grove_disabled(graph.metadata().annotations())) {
    return "metadata.annotations[nvidia.com/enable-grove]: must not be \"false\" while a "
           "PodCliqueSet runs the pods of the graph: they would all stop; remove the annotation, "
           "or "
           "recreate the graph";
  }
  return "spec.services: must run where the cluster serves Grove, which runs the pods of this "
         "graph; "
         "found none: install Grove again, or recreate the graph";
}

bool is_run_by_grove(const api::GraphDeployment& graph, render::Pathway pathway) {
  return pathway == render::Pathway::kGrove &&
         !render::is_grove_disabled(graph.metadata().annotations());
}

}  // namespace dynamo::reconciler::graph
