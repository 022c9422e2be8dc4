// Reconciles DynamoGraphDeploymentScalingAdapters: applies an autoscaler's replica count to the
// graph.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/engine/reconciler.hpp"

namespace dynamo::reconciler::scaling_adapter {

inline constexpr std::string_view kName = "scaling-adapter";

// On the loop's thread. The graph's webhook must allow its identity to change replicas: a service
// account whose name ends in "-dynamo-operator-controller-manager".
class ScalingAdapterReconciler final : public Reconciler {
 public:
  ScalingAdapterReconciler();

  void map_to_requests(const kube::Resource& of, const kube::StoreChange& change,
                       const CacheReader& cache, std::vector<kube::ObjectKey>& keys) const override;
  aio::Task<kube::ReconcileResult> reconcile(kube::ObjectKey key,
                                             ReconcileContext& context) override;

 private:
  std::map<kube::ObjectKey, std::string> reported_;  // last reported problem
};

}  // namespace dynamo::reconciler::scaling_adapter
