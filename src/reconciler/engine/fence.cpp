#include "reconciler/engine/fence.hpp"

namespace dynamo::reconciler {

bool Fence::is_in_scope(const kube::ObjectKey& key) {
  const Coverage coverage =
      dependencies_.scope.coverage(key.namespace_name, dependencies_.cluster_state.leases.latest(),
                                   dependencies_.cluster_state.clock.wall());
  if (coverage == Coverage::kLeased) leased_.insert(key.namespace_name);
  return coverage == Coverage::kCovered;
}

bool Fence::can_act(const kube::ObjectKey& key, std::uint64_t term) {
  return !is_paused_ && term == term_ && is_in_scope(key) && dependencies_.can_act();
}

}  // namespace dynamo::reconciler
