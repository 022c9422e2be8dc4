// What a graph needs and does not make: without it the pass makes what comes before, and stops.
#pragma once

#include <cstddef>
#include <optional>

#include "reconciler/children/plan.hpp"
#include "reconciler/graph/observed.hpp"
#include "render/children/child.hpp"

namespace dynamo::reconciler::graph {

struct Missing {
  std::size_t before = 0;  // how many of the children are made all the same
  Problem problem = {};
};

// The first of: the ClusterRole of an account, a claim that is to exist, a checkpoint that is
// named, the Secret of MPI.
std::optional<Missing> missing_of(const Observed& observed, const render::Children& children);

}  // namespace dynamo::reconciler::graph
