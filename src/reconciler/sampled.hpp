// What metrics ask the runners and watches for when they are scraped.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "kube/informer.hpp"
#include "reconciler/metrics.hpp"
#include "reconciler/runner.hpp"
#include "reconciler/store_set.hpp"
#include "runtime/clock.hpp"

namespace dynamo::reconciler {

// All that is given is referred to, and outlives the scrapes.
void bind_to_runners(ReconcilerMetrics& metrics,
                     const std::vector<std::unique_ptr<Runner>>& runners);
// Leases of namespaces have no store, and need not be followed.
void bind_to_watches(ReconcilerMetrics& metrics, const StoreSet& stores,
                     const std::optional<kube::Informer>& leases, const runtime::Clock& clock);

}  // namespace dynamo::reconciler
