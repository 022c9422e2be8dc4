#include "reconciler/validation/reconciler.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "kube/object/object_meta.hpp"
#include "reconciler/engine/resources.hpp"

namespace dynamo::reconciler::validation {
namespace {

RewriteLimiter::Id id_of(const ObservedState& observed) {
  return RewriteLimiter::id_of(observed.object.uid(), kube::generation_of(observed.object),
                               observed.verdict.message, observed.change.message);
}

std::vector<WatchSpec> all_watches(const kube::Resource& resource) {
  WatchSpec own;
  own.resource = resource;
  own.options.namespace_index = true;
  own.can_be_missing = true;
  return {own};
}

}  // namespace

ValidationReconciler::ValidationReconciler(api::Kind kind, const ValidationSettings& settings,
                                           const ClusterState& cluster_state,
                                           std::shared_ptr<RecordPace> pace)
    : Reconciler({.name = kName,
                  .resource = resource_of(kind),
                  .watches = all_watches(resource_of(kind)),
                  // In companion mode it writes nothing that the operator writes.
                  .conflicts_with_operator = settings.mode == Mode::kReplacement,
                  .depends_on_policy = true,
                  // The verdict does not depend on the condition that reports it.
                  .skips_own_changes = true}),
      kind_(kind),
      settings_(settings),
      cluster_state_(cluster_state),
      pending_(std::move(pace)) {}

// Other clients update the status frequently. Only our conditions in it matter, and the spec,
// metadata and owners.
bool ValidationReconciler::should_reconcile(const kube::StoreChange& change) const {
  if (change.before == nullptr || change.now == nullptr) return true;
  const json::Value before = change.before->root();
  const json::Value now = change.now->root();
  return kube::generation_of(*change.before) != kube::generation_of(*change.now) ||
         change.before->uid() != change.now->uid() ||
         !json::equal(before["metadata"]["annotations"], now["metadata"]["annotations"]) ||
         !json::equal(before["metadata"]["labels"], now["metadata"]["labels"]) ||
         !json::equal(before["metadata"]["ownerReferences"], now["metadata"]["ownerReferences"]) ||
         !json::equal(before["status"]["conditions"], now["status"]["conditions"]) ||
         !json::equal(before["status"]["state"], now["status"]["state"]) ||
         kube::is_terminating(*change.before) != kube::is_terminating(*change.now);
}

void ValidationReconciler::forget_missed(const MissedChanges& missed) {
  if (missed.is_of_any_key) pending_.forget_all();
  for (const kube::ObjectKey& each : missed.keys) pending_.forget(each);
}

ObservedState ValidationReconciler::observe(kube::Object object, PendingRecords::Time now) {
  ObservedState observed;
  observed.kind = kind_;
  observed.resource = spec().resource;
  observed.object = std::move(object);
  const admission::EvaluationInputs inputs = cluster_state_.evaluation_inputs();
  observed.verdict = validator_.validate(kind_, observed.object, inputs);
  if (settings_.keeps_record) observe_record(observed, inputs, now);
  const auto known = reported_.find(kube::key_of(observed.object));
  if (known != reported_.end() && known->second.first == observed.object.uid()) {
    observed.reported_generation = known->second.second;
  }
  return observed;
}

void ValidationReconciler::observe_record(ObservedState& observed,
                                          const admission::EvaluationInputs& inputs,
                                          PendingRecords::Time now) {
  const kube::Object& object = observed.object;
  const kube::ObjectKey key = kube::key_of(object);
  observed.record = read_record(object);
  observed.immutable_part = immutable_part(kind_, object);
  // Most are far below the limit, and need no exact check.
  const std::size_t length = observed.immutable_part.size();
  if (length == 0 || length > kMaxRecordBytes / 2) {
    observed.is_record_too_long = outgrows_record(kind_, object);
  }
  observed.is_record_due = pending_.is_due(key, object.uid(), now);
  std::string_view before = observed.record.spec;
  if (observed.record.state == RecordState::kAbsent) {
    observed.pending = pending_.admitted(key, object.uid());
    before = observed.pending;
  }
  if (!before.empty() && before != observed.immutable_part) {
    observed.change = validator_.validate_change(kind_, object, before, inputs);
  }
}

ValidationReconciler::Summary ValidationReconciler::summary_of(const ValidationPlan& plan) {
  Summary summary;
  for (const Action& each : plan.actions) {
    if (subresource_of(each) == "status") summary.writes_verdict = true;
    const auto* const apply = std::get_if<Apply>(&each);
    if (apply != nullptr && apply->subresource.empty()) summary.writes_record = true;
    const auto* const event = std::get_if<EmitEvent>(&each);
    if (event == nullptr) continue;
    if (event->reason == kFailedEvent) summary.reports_failure = true;
    if (event->reason == kPassedEvent) summary.reports_success = true;
  }
  return summary;
}

void ValidationReconciler::remember(const kube::Object& object, const Summary& done) {
  if (done.reports_failure) {
    reported_[kube::key_of(object)] = {std::string(object.uid()), kube::generation_of(object)};
  } else if (done.reports_success) {
    reported_.erase(kube::key_of(object));
  }
}

aio::Task<kube::ReconcileResult> ValidationReconciler::reconcile(kube::ObjectKey key,
                                                                 ReconcileContext& context) {
  forget_missed(context.take_missed_changes());
  const PendingRecords::Time now = context.clock().monotonic();
  const kube::Store& store = context.cache().at(spec().resource);
  // If only a record's time slot has come while verdicts are being written, postpone the record
  // without evaluating an unchanged object.
  if (context.is_timer_wakeup() && pending_.is_held_up(key, store.uid_of(key), now)) {
    co_return kube::ReconcileResult::requeue_on_timer(pending_.postpone_again(key, now));
  }
  const auto found = store.find(key);
  if (!found) {
    reported_.erase(key);
    event_deduplicator_.forget(key);
    pending_.forget(key);
    co_return kube::ReconcileResult::done();
  }
  // An object that is being deleted needs no evaluation.
  if (kube::is_terminating(*found)) co_return kube::ReconcileResult::done();
  const ObservedState observed = observe(*found, now);
  ValidationPlan planned = plan(observed, settings_, context.clock().wall());
  const Summary summary = summary_of(planned);
  if (summary.writes_verdict) {
    const auto pause = rewrites_.pause(id_of(observed), context.clock().monotonic());
    if (pause != pause.zero()) co_return kube::ReconcileResult::requeue_after(pause);
  }
  const auto ended =
      co_await event_deduplicator_.act(context, observed.object, std::move(planned.actions));
  if (ended) co_return *ended;
  remember(observed.object, summary);
  co_return look_after_record(observed, summary, std::move(planned.pending),
                              context.clock().monotonic());
}

kube::ReconcileResult ValidationReconciler::look_after_record(const ObservedState& observed,
                                                              const Summary& done,
                                                              std::string pending,
                                                              PendingRecords::Time now) {
  const kube::ObjectKey key = kube::key_of(observed.object);
  if (done.writes_verdict) {
    pending_.note_verdict(now);
    rewrites_.note(id_of(observed), now);
  }
  if (!pending.empty()) {
    return kube::ReconcileResult::requeue_on_timer(
        pending_.postpone(key, observed.object.uid(), std::move(pending), now));
  }
  const bool is_admitted = observed.verdict.is_valid() && observed.change.is_valid();
  if (done.writes_record || is_admitted || observed.record.state != RecordState::kAbsent) {
    pending_.forget(key);
  }
  return kube::ReconcileResult::done();
}

std::vector<std::unique_ptr<Reconciler>> make(const ValidationSettings& settings,
                                              const ClusterState& cluster_state) {
  std::vector<std::unique_ptr<Reconciler>> all;
  all.reserve(std::size(api::kKinds));
  const auto pace = std::make_shared<RecordPace>(settings.record_interval);
  for (const api::KindNames& each : api::kKinds) {
    all.push_back(std::make_unique<ValidationReconciler>(each.kind, settings, cluster_state, pace));
  }
  return all;
}

}  // namespace dynamo::reconciler::validation
