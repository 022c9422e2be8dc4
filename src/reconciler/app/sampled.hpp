// Binds sampled metrics to the controllers and watches that provide their values at scrape time.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "kube/cache/informer.hpp"
#include "reconciler/engine/controller.hpp"
#include "reconciler/engine/informer_cache.hpp"
#include "reconciler/engine/metrics.hpp"
#include "runtime/clock.hpp"

namespace dynamo::reconciler {

// Stores references to the arguments, which must outlive all scrapes.
void bind_to_controllers(ReconcilerMetrics& metrics,
                         const std::vector<std::unique_ptr<Controller>>& controllers);
// `leases` is passed separately, because namespace Leases are not in the set; it may be empty.
void bind_to_watches(ReconcilerMetrics& metrics, const InformerCache& cache,
                     const std::optional<kube::Informer>& leases, const runtime::Clock& clock);

}  // namespace dynamo::reconciler
