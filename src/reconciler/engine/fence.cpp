#include "reconciler/engine/fence.hpp"

#include <utility>

namespace dynamo::reconciler {

bool Fence::is_in_scope(const kube::ObjectKey& key) {
  const Coverage coverage =
      dependencies_.scope.coverage(key.namespace_name, dependencies_.cluster_state.leases.latest(),
                                   dependencies_.cluster_state.clock.wall());
  if (coverage == Coverage::kLeased) leased_.insert(key.namespace_name);
  return coverage == Coverage::kCovered;
}

void Fence::record_missed(const kube::ObjectKey& key) {
  if (!missed_ || missed_->is_of_any_key) return;
  missed_->keys.insert(key);
  if (missed_->keys.size() > kMaxMissed) missed_ = MissedChanges{.is_of_any_key = true};
}

MissedChanges Fence::take_missed_changes() {
  MissedChanges missed;
  if (missed_) missed = *std::move(missed_);
  missed_ = MissedChanges();
  return missed;
}

bool Fence::can_act(const kube::ObjectKey& key, std::uint64_t term) {
  return !is_paused_ && term == term_ && is_in_scope(key) && dependencies_.can_act();
}

}  // namespace dynamo::reconciler
