// Objects that a graph depends on: roles, claims and Secrets of others, and the checkpoints that
// its services start from.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "api/kinds/objects.hpp"
#include "desired/observed_objects.hpp"
#include "desired/plan.hpp"
#include "manifests/desired_object.hpp"
#include "reconciler/graph/observed.hpp"

namespace dynamo::reconciler::graph {

// An object that the graph needs and does not create. The reconcile creates the objects before it
// and stops.
struct MissingPrerequisite {
  std::size_t before = 0;  // number of desired objects that are still created
  Problem problem = {};
};

// The first missing one of: the queue of KAI, the ClusterRole of an account, a claim that must
// exist, a referenced checkpoint, the MPI Secret.
std::optional<MissingPrerequisite> find_missing_prerequisite(const ObservedState& observed,
                                                             const render::DesiredObjects& objects);

// status.checkpoints as JSON: an entry for each service that uses one. A checkpoint that this
// reconcile requests is already included.
std::string checkpoint_status(const api::GraphDeployment& graph, const ObservedObjects& objects);

// False while a checkpoint is requested, or about to be.
bool are_all_checkpoints_observed(const api::GraphDeployment& graph,
                                  const ObservedObjects& objects);

}  // namespace dynamo::reconciler::graph
