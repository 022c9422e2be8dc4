// Which checkpoint each service starts from.
#pragma once

#include <optional>
#include <string>

#include "api/kinds/objects.hpp"
#include "reconciler/children/plan.hpp"
#include "reconciler/children/seen.hpp"

namespace dynamo::reconciler::graph {

// status.checkpoints as JSON: an entry for each service that asks for one. A checkpoint that the
// same pass requests is told already.
std::string checkpoint_status(const api::GraphDeployment& graph, const Seen& seen);

// False while one is requested, or about to be.
bool are_all_checkpoints_seen(const api::GraphDeployment& graph, const Seen& seen);

// The first service that names a checkpoint that is not there.
std::optional<Problem> missing_checkpoint(const api::GraphDeployment& graph, const Seen& seen);

}  // namespace dynamo::reconciler::graph
