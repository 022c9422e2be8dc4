#include "reconciler/app/sampled.hpp"

#include <chrono>
#include <string>

#include "kube/object/resource.hpp"

namespace dynamo::reconciler {
namespace {

using Controllers = std::vector<std::unique_ptr<Controller>>;

void bind_controllers(runtime::SampledFamily& family, const Controllers& controllers,
                      double (*value)(const Controller&)) {
  family.bind([&controllers, value](const auto& emit) {
    for (const auto& each : controllers) {
      const ReconcilerSpec& spec = each->reconciler().spec();
      emit({std::string(spec.name), std::string(spec.resource.kind)}, value(*each));
    }
  });
}

template <typename Value>
void bind_watches(runtime::SampledFamily& family, const InformerCache& cache,
                  const std::optional<kube::Informer>& leases, Value value) {
  family.bind([&cache, &leases, value](const auto& emit) {
    for (const auto& [name, entry] : cache.all()) {
      if (entry->is_watched()) emit({name}, value(entry->informer));
    }
    if (leases) emit({name_of(kube::kLeases)}, value(*leases));
  });
}

}  // namespace

void bind_to_controllers(ReconcilerMetrics& metrics, const Controllers& controllers) {
  bind_controllers(metrics.queue_depth, controllers,
                   [](const Controller& each) { return static_cast<double>(each.stats().ready); });
  bind_controllers(metrics.queue_age, controllers, [](const Controller& each) {
    return std::chrono::duration<double>(each.stats().oldest_ready).count();
  });
  bind_controllers(metrics.queue_retries, controllers, [](const Controller& each) {
    return static_cast<double>(each.stats().retries);
  });
  bind_controllers(metrics.queue_adds, controllers,
                   [](const Controller& each) { return static_cast<double>(each.stats().adds); });
  bind_controllers(metrics.longest_running, controllers, [](const Controller& each) {
    return std::chrono::duration<double>(each.stats().longest_running).count();
  });
  bind_controllers(metrics.defects, controllers,
                   [](const Controller& each) { return static_cast<double>(each.defects()); });
  bind_controllers(metrics.timeouts, controllers,
                   [](const Controller& each) { return static_cast<double>(each.timeouts()); });
  bind_controllers(metrics.refused, controllers,
                   [](const Controller& each) { return each.is_paused() ? 1.0 : 0.0; });
}

void bind_to_watches(ReconcilerMetrics& metrics, const InformerCache& cache,
                     const std::optional<kube::Informer>& leases, const runtime::Clock& clock) {
  metrics.objects.bind([&cache](const auto& emit) {
    for (const auto& [name, entry] : cache.all()) {
      if (entry->is_watched()) emit({name}, static_cast<double>(entry->store.size()));
    }
  });
  bind_watches(metrics.watch_open, cache, leases,
               [](const kube::Informer& each) { return each.is_watching() ? 1.0 : 0.0; });
  bind_watches(metrics.watch_restarts, cache, leases,
               [](const kube::Informer& each) { return static_cast<double>(each.restarts()); });
  bind_watches(metrics.watch_silence, cache, leases, [&clock](const kube::Informer& each) {
    const auto now = clock.monotonic();
    return std::chrono::duration<double>(now - each.last_contact().value_or(now)).count();
  });
}

}  // namespace dynamo::reconciler
