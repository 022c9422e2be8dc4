// Whether Grove or LeaderWorkerSets can run a multinode service.
#include "validators/rendered/proof.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::multinode {

using api::Context;

namespace {

void orchestrator_missing(const Context& context, const RenderedObject& object, Report& report) {
  // The fact includes Volcano, without which the operator does not use LeaderWorkerSets.
  if (context.facts.leader_worker_set_served != api::Fact::kNo) return;
  for (const RenderedPod& pod : object.pods) {
    const render::Component& component = *pod.component;
    if (!component.is_multinode() || runs_through_grove(context, component) != api::Fact::kNo)
      continue;
    // It blocks the whole graph, so one finding is enough.
    return report.add(api::ErrorType::kForbidden, pod.path->child("multinode"),
                      "must not be set where neither Grove nor LeaderWorkerSet with Volcano runs "
                      "several nodes, or the operator makes nothing of the graph; found neither; "
                      "install one of them, or remove it");
  }
}

}  // namespace

extern constexpr Rule kOrchestratorMissingRule{
    .id = "cross.orchestrator-missing",
    .kinds = kinds::kGraphs,
    .severity = Severity::kWarn,
    .function = &orchestrator_missing,
    .field = "P.multinode",
};

}  // namespace dynamo::validators::multinode
