// The scaling adapters of services that a graph has no more.
#pragma once

#include <vector>

#include "kube/object.hpp"
#include "reconciler/action.hpp"
#include "reconciler/children/child_step.hpp"
#include "reconciler/children/children_plan.hpp"
#include "reconciler/children/seen.hpp"

namespace dynamo::reconciler::graph {

// Deletes those that carry the graph's label and scale a service that it does not have, whoever
// made them: they can do nothing. Not those of names that `plan` has added, which is decided there.
// Those that another object controls are its own.
void remove_orphans(const kube::Object& graph, const Parent& parent, const Seen& seen,
                    const ChildrenPlan& plan, std::vector<Action>& actions);

}  // namespace dynamo::reconciler::graph
