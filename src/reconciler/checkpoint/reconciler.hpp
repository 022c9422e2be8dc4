// Reconciles DynamoCheckpoints: observes, plans and executes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "desired/settings.hpp"
#include "kube/object/object_key.hpp"
#include "reconciler/engine/cluster_state.hpp"
#include "reconciler/engine/reconciler.hpp"
#include "reconciler/verdict/operator_validator.hpp"

namespace dynamo::reconciler::checkpoint {

inline constexpr std::string_view kName = "checkpoint";

// On the loop's thread.
class CheckpointReconciler final : public Reconciler {
 public:
  // `cluster_state` must outlive it.
  CheckpointReconciler(RenderSettings settings, const ClusterState& cluster_state);

  void map_to_requests(const kube::Resource& of, const kube::StoreChange& change,
                       const CacheReader& cache, std::vector<kube::ObjectKey>& keys) const override;
  aio::Task<kube::ReconcileResult> reconcile(kube::ObjectKey key,
                                             ReconcileContext& context) override;

 private:
  const RenderSettings settings_;
  const ClusterState& cluster_state_;
  OperatorValidator validator_;
  std::map<kube::ObjectKey, std::int64_t> ignored_;  // the last reported edit of each checkpoint
};

// `cluster_state` must outlive the result.
std::unique_ptr<Reconciler> make(RenderSettings settings, const ClusterState& cluster_state);

}  // namespace dynamo::reconciler::checkpoint
