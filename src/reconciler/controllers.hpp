// Which controllers there are, and those of them that a process runs.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <vector>

#include "reconciler/controller.hpp"
#include "reconciler/options.hpp"
#include "reconciler/selection.hpp"
#include "reconciler/world.hpp"

namespace dynamo::reconciler {

// Every controller that there is, as --controllers may name it.
std::span<const KnownController> known_controllers();

// Those that --controllers selects, in the order in which they are started. Between two records of
// what was admitted lies `record_interval`; 0 writes each with its verdict. The world outlives
// them.
std::vector<std::unique_ptr<Controller>> chosen_controllers(
    const Options& options, const World& world, std::chrono::milliseconds record_interval);

}  // namespace dynamo::reconciler
