// The list of available reconcilers, and the creation of those that a process runs.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <vector>

#include "reconciler/app/options.hpp"
#include "reconciler/app/selection.hpp"
#include "reconciler/engine/cluster_state.hpp"
#include "reconciler/engine/reconciler.hpp"

namespace dynamo::reconciler {

// All names that --controllers accepts.
std::span<const KnownController> known_controllers();

// Creates the reconcilers selected by --controllers, in start order. `record_interval` separates
// two writes of admission records; 0 writes each record together with its verdict. `cluster_state`
// must outlive the result.
std::vector<std::unique_ptr<Reconciler>> make_reconcilers(
    const Options& options, const ClusterState& cluster_state,
    std::chrono::milliseconds record_interval);

}  // namespace dynamo::reconciler
