// Removes scaling adapters of services that a graph no longer has.
#pragma once

#include <vector>

#include "desired/action.hpp"
#include "desired/desired_objects_plan.hpp"
#include "desired/object_diff.hpp"
#include "desired/observed_objects.hpp"
#include "kube/object/object.hpp"

namespace dynamo::reconciler::graph {

// Deletes adapters that carry the graph's label and scale a service it does not have, including
// those created by hand: they have no effect. Skips names that `plan` has added, which that plan
// decides, and adapters that another object controls.
void remove_orphans(const kube::Object& graph, const Parent& parent, const ObservedObjects& objects,
                    const DesiredObjectsPlan& plan, std::vector<Action>& actions);

}  // namespace dynamo::reconciler::graph
