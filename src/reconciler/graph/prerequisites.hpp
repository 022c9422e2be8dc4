// Prerequisites of a graph that it does not create. If one is missing, the reconcile creates the
// objects before it and stops.
#pragma once

#include <cstddef>
#include <optional>

#include "desired/plan.hpp"
#include "manifests/desired_object.hpp"
#include "reconciler/graph/observed.hpp"

namespace dynamo::reconciler::graph {

struct MissingPrerequisite {
  std::size_t before = 0;  // number of desired objects that are still created
  Problem problem = {};
};

// The first missing one of: the ClusterRole of an account, a claim that must exist, a referenced
// checkpoint, the MPI Secret.
std::optional<MissingPrerequisite> find_missing_prerequisite(const ObservedState& observed,
                                                             const render::DesiredObjects& objects);

}  // namespace dynamo::reconciler::graph
