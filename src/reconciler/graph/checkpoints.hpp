// Determines the checkpoint that each service starts from.
#pragma once

#include <optional>
#include <string>

#include "api/kinds/objects.hpp"
#include "desired/observed_objects.hpp"
#include "desired/plan.hpp"

namespace dynamo::reconciler::graph {

// status.checkpoints as JSON: an entry for each service that uses one. A checkpoint that this
// reconcile requests is already included.
std::string checkpoint_status(const api::GraphDeployment& graph, const ObservedObjects& objects);

// False while a checkpoint is requested, or about to be.
bool are_all_checkpoints_observed(const api::GraphDeployment& graph,
                                  const ObservedObjects& objects);

// The first service that references a checkpoint which does not exist.
std::optional<Problem> missing_checkpoint(const api::GraphDeployment& graph,
                                          const ObservedObjects& objects);

}  // namespace dynamo::reconciler::graph
