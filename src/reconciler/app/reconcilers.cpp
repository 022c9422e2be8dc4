#include "reconciler/app/reconcilers.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "reconciler/app/settings.hpp"
#include "reconciler/checkpoint/reconciler.hpp"
#include "reconciler/component/reconciler.hpp"
#include "reconciler/graph/reconciler.hpp"
#include "reconciler/model/reconciler.hpp"
#include "reconciler/request/reconciler.hpp"
#include "reconciler/scaling_adapter/reconciler.hpp"
#include "reconciler/validation/reconciler.hpp"

namespace dynamo::reconciler {
namespace {

constexpr std::array<KnownController, 7> kKnown{{{validation::kName},
                                                 {model::kName},
                                                 {scaling_adapter::kName},
                                                 {component::kName},
                                                 {graph::kName},
                                                 {request::kName},
                                                 {checkpoint::kName}}};

}  // namespace

std::span<const KnownController> known_controllers() {
  return kKnown;
}

std::vector<std::unique_ptr<Reconciler>> make_reconcilers(
    const Options& options, const ClusterState& cluster_state,
    std::chrono::milliseconds record_interval) {
  const ControllerSelection selection(options.controllers);
  const auto selects = [&selection](std::string_view name) {
    return selection.selects(*std::ranges::find(kKnown, name, &KnownController::name));
  };
  std::vector<std::unique_ptr<Reconciler>> made;
  // In replacement mode, the controller that acts on an object reports its verdict: two reporters
  // would overwrite each other without end.
  std::vector<api::Kind> reported_elsewhere;
  if (selects(model::kName)) reported_elsewhere.push_back(api::Kind::kModel);
  if (selects(component::kName)) reported_elsewhere.push_back(api::Kind::kComponentDeployment);
  if (selects(graph::kName)) reported_elsewhere.push_back(api::Kind::kGraphDeployment);
  std::vector<api::Kind> unserved;
  const auto add_kind_of = [&](std::string_view name, api::Kind kind) {
    (selects(name) ? reported_elsewhere : unserved).push_back(kind);
  };
  add_kind_of(request::kName, api::Kind::kGraphDeploymentRequest);
  add_kind_of(checkpoint::kName, api::Kind::kCheckpoint);
  if (selects(validation::kName)) {
    made = validation::make({.mode = options.mode,
                             .webhooks_enabled = options.enable_webhooks,
                             .keeps_record = options.admission_record,
                             .record_interval = record_interval,
                             .reported_elsewhere = std::move(reported_elsewhere),
                             .unserved = std::move(unserved)},
                            cluster_state);
  }
  if (selects(model::kName)) made.push_back(model::make(cluster_state));
  if (selects(scaling_adapter::kName)) {
    made.push_back(std::make_unique<scaling_adapter::ScalingAdapterReconciler>());
  }
  if (selects(component::kName))
    made.push_back(component::make(render_settings(options), cluster_state));
  if (selects(graph::kName)) made.push_back(graph::make(render_settings(options), cluster_state));
  if (selects(request::kName)) {
    made.push_back(
        request::make(render_settings(options), cluster_state, options.max_profiling_jobs));
  }
  if (selects(checkpoint::kName))
    made.push_back(checkpoint::make(render_settings(options), cluster_state));
  return made;
}

}  // namespace dynamo::reconciler
