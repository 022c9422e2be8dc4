#include "reconciler/checkpoint/reconciler.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <variant>

#include "api/kind.hpp"
#include "desired/action.hpp"
#include "desired/kinds.hpp"
#include "kube/object/object_key.hpp"
#include "kube/object/object_meta.hpp"
#include "reconciler/checkpoint/plan.hpp"
#include "reconciler/engine/execute_plan.hpp"
#include "reconciler/engine/observe.hpp"
#include "reconciler/engine/uncertain_objects.hpp"
#include "render/document/well_known.hpp"

namespace dynamo::reconciler::checkpoint {
namespace {

using kube::ReconcileResult;

constexpr std::array<OwnedKind, 1> kKinds = {{{.kind = "Job"}}};

const kube::Resource& jobs() {
  return find_managed_kind("Job")->resource;
}

std::vector<WatchSpec> all_watches() {
  WatchSpec checkpoints;
  checkpoints.resource = kCheckpoints;
  checkpoints.options.label_indexes = {std::string(render::label::kCheckpointHash)};
  checkpoints.can_be_missing = true;
  std::vector<WatchSpec> all = {checkpoints};
  for (WatchSpec& each : watched_kinds(kKinds)) all.push_back(std::move(each));
  return all;
}

// The other checkpoints of the namespace that are labelled with the hash.
std::vector<kube::Object> labelled(const kube::Store& checkpoints, const kube::ObjectKey& own,
                                   const std::string& hash) {
  std::vector<kube::Object> found;
  const auto& by_hash = checkpoints.index_by_label(render::label::kCheckpointHash);
  for (const kube::ObjectKey& key : checkpoints.keys(by_hash, hash)) {
    if (key.namespace_name != own.namespace_name || key == own) continue;
    if (auto other = checkpoints.find(key)) found.push_back(*std::move(other));
  }
  return found;
}

bool reports_ignored_edit(const Plan& made) {
  return std::ranges::any_of(made.actions, [](const Action& each) {
    const auto* const event = std::get_if<EmitEvent>(&each);
    return event != nullptr && event->reason == kSpecChangeIgnored;
  });
}

}  // namespace

CheckpointReconciler::CheckpointReconciler(RenderSettings settings,
                                           const ClusterState& cluster_state)
    : Reconciler({.name = kName,
                  .resource = kCheckpoints,
                  .watches = all_watches(),
                  .depends_on_policy = true}),
      settings_(std::move(settings)),
      cluster_state_(cluster_state) {}

void CheckpointReconciler::map_to_requests(const kube::Resource& of,
                                           const kube::StoreChange& change,
                                           const CacheReader& cache,
                                           std::vector<kube::ObjectKey>& keys) const {
  if (of.kind == kCheckpoints.kind) return;
  add_owners(change, kCheckpoints.kind, keys);
  // When another client's Job is deleted, a checkpoint may have been waiting for its name.
  constexpr std::string_view kPrefix = "checkpoint-";
  if (!keys.empty() || change.now != nullptr || !change.key.name.starts_with(kPrefix)) return;
  kube::ObjectKey waiting = change.key;
  waiting.name.erase(0, kPrefix.size());
  if (cache.at(kCheckpoints).contains(waiting)) keys.push_back(std::move(waiting));
}

aio::Task<ReconcileResult> CheckpointReconciler::reconcile(kube::ObjectKey key,
                                                           ReconcileContext& context) {
  const kube::Store& checkpoints = context.cache().at(kCheckpoints);
  const auto object = checkpoints.find(key);
  if (!object || kube::is_terminating(*object)) {
    ignored_.erase(key);
    co_return ReconcileResult::done();
  }
  ObservedState observed;
  observed.object = *object;
  observed.environment = settings_.environment;
  observed.now = context.clock().wall();
  observed.same_hash = labelled(checkpoints, key, hash_of(*object));
  const auto ignored = ignored_.find(key);
  if (ignored != ignored_.end()) observed.reported_generation = ignored->second;
  if (may_create_job(*object)) {
    observed.errors = validator_.errors_of(api::Kind::kCheckpoint, *object, cluster_state_);
  }
  kube::ObjectKey job_key{.namespace_name = key.namespace_name, .name = job_name_of(*object)};
  const auto cached = context.cache().at(jobs()).find(job_key);
  std::vector<UncertainObject> uncertain;
  if (should_read_job(*object, cached ? &*cached : nullptr)) {
    uncertain.push_back({.resource = jobs(), .key = std::move(job_key)});
  } else if (cached) {
    observed.objects.add(*cached);
  } else {
    add_if_uncertain(context.cache(), jobs(), std::move(job_key), uncertain);
  }
  const auto unread = co_await read_uncertain(std::move(uncertain), context, observed.objects);
  if (unread) co_return context.failed(*unread);
  Plan made = plan(observed);
  if (reports_ignored_edit(made)) ignored_.insert_or_assign(key, kube::generation_of(*object));
  co_return co_await execute_plan(std::move(made), context, [&observed](const std::string& why) {
    return plan_after_failure(observed, why);
  });
}

std::unique_ptr<Reconciler> make(RenderSettings settings, const ClusterState& cluster_state) {
  return std::make_unique<CheckpointReconciler>(std::move(settings), cluster_state);
}

}  // namespace dynamo::reconciler::checkpoint
