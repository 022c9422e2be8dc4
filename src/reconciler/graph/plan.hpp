// The DynamoGraphDeployment controller as pure functions of the observed state.
#pragma once

#include <string>
#include <string_view>

#include "desired/graph_pathway.hpp"
#include "desired/plan.hpp"
#include "reconciler/graph/observed.hpp"

namespace dynamo::reconciler::graph {

// Plans owned objects, clean-up, status and events of one graph. status.state and the reason of
// Ready:
//   successful  all_resources_are_ready
//   pending     some_resources_are_not_ready, with the name of each and why
//   failed      ValidationFailed | pathway_cannot_change | name_is_taken |
//               failed_to_reconcile_the_resources
// A failed reconcile keeps the previous status of services and restart. A restart progresses with
// the status of the components or cliques and does not affect state and Ready. A graph in its
// desired state yields no actions. Pure; never throws, whatever the content of `observed`.
Plan plan(const ObservedState& observed);

// Plans after an action of the plan for the same `observed` has failed; `why` is one line that
// names the failure.
Plan plan_after_failure(const ObservedState& observed, const std::string& why);
// Like plan_after_failure(), for a reconcile that could not plan because a read failed. Events that
// a plan would have emitted are still emitted later.
Plan plan_after_read_failure(const ObservedState& observed, const std::string& why);

}  // namespace dynamo::reconciler::graph
