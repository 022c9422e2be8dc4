#include "reconciler/sampled.hpp"

#include <chrono>
#include <string>

#include "kube/resource.hpp"

namespace dynamo::reconciler {
namespace {

using Runners = std::vector<std::unique_ptr<Runner>>;

void bind_runners(runtime::SampledFamily& family, const Runners& runners,
                  double (*value)(const Runner&)) {
  family.bind([&runners, value](const auto& tell) {
    for (const auto& each : runners) {
      tell(
          {std::string(each->reconciler().name()), std::string(each->reconciler().resource().kind)},
          value(*each));
    }
  });
}

template <typename Value>
void bind_watches(runtime::SampledFamily& family, const StoreSet& stores,
                  const std::optional<kube::Informer>& leases, Value value) {
  family.bind([&stores, &leases, value](const auto& tell) {
    for (const auto& [name, kept] : stores.all()) {
      if (kept->is_followed()) tell({name}, value(kept->informer));
    }
    if (leases) tell({name_of(kube::kLeases)}, value(*leases));
  });
}

}  // namespace

void bind_to_runners(ReconcilerMetrics& metrics, const Runners& runners) {
  bind_runners(metrics.queue_depth, runners,
               [](const Runner& each) { return static_cast<double>(each.figures().ready); });
  bind_runners(metrics.queue_age, runners, [](const Runner& each) {
    return std::chrono::duration<double>(each.figures().oldest_ready).count();
  });
  bind_runners(metrics.queue_retries, runners,
               [](const Runner& each) { return static_cast<double>(each.figures().retries); });
  bind_runners(metrics.queue_adds, runners,
               [](const Runner& each) { return static_cast<double>(each.figures().adds); });
  bind_runners(metrics.longest_running, runners, [](const Runner& each) {
    return std::chrono::duration<double>(each.figures().longest_running).count();
  });
  bind_runners(metrics.defects, runners,
               [](const Runner& each) { return static_cast<double>(each.defects()); });
  bind_runners(metrics.timeouts, runners,
               [](const Runner& each) { return static_cast<double>(each.timeouts()); });
  bind_runners(metrics.refused, runners,
               [](const Runner& each) { return each.is_refused() ? 1.0 : 0.0; });
}

void bind_to_watches(ReconcilerMetrics& metrics, const StoreSet& stores,
                     const std::optional<kube::Informer>& leases, const runtime::Clock& clock) {
  metrics.objects.bind([&stores](const auto& tell) {
    for (const auto& [name, kept] : stores.all()) {
      if (kept->is_followed()) tell({name}, static_cast<double>(kept->store.size()));
    }
  });
  bind_watches(metrics.watch_open, stores, leases,
               [](const kube::Informer& each) { return each.watching() ? 1.0 : 0.0; });
  bind_watches(metrics.watch_restarts, stores, leases,
               [](const kube::Informer& each) { return static_cast<double>(each.restarts()); });
  bind_watches(metrics.watch_silence, stores, leases, [&clock](const kube::Informer& each) {
    const auto now = clock.monotonic();
    return std::chrono::duration<double>(now - each.heard_at().value_or(now)).count();
  });
}

}  // namespace dynamo::reconciler
