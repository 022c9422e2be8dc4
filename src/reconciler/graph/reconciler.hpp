// Reconciles DynamoGraphDeployments: observes, plans and executes.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "desired/settings.hpp"
#include "reconciler/engine/cluster_state.hpp"
#include "reconciler/engine/observe.hpp"
#include "reconciler/engine/reconciler.hpp"
#include "reconciler/graph/observed.hpp"
#include "reconciler/verdict/operator_validator.hpp"

namespace dynamo::reconciler::graph {

inline constexpr std::string_view kName = "graph";

// On the loop's thread.
class GraphReconciler final : public Reconciler {
 public:
  // `cluster_state` must outlive it.
  GraphReconciler(RenderSettings settings, const ClusterState& cluster_state);

  void map_to_requests(const kube::Resource& of, const kube::StoreChange& change,
                       const CacheReader& cache, std::vector<kube::ObjectKey>& keys) const override;
  aio::Task<kube::ReconcileResult> reconcile(kube::ObjectKey key,
                                             ReconcileContext& context) override;

 private:
  // Reads the objects that no cache contains: the MPI Secret, the queue of KAI, and these
  // ConfigMaps, which another client may have created. Returns the first error.
  aio::Task<std::optional<kube::Error>> read_missing(ObservedState& observed,
                                                     std::vector<kube::ObjectKey> config_maps,
                                                     NamespaceEnvironment& found,
                                                     ReconcileContext& context);
  // Reads the Secret with the MPI keys, if the graph needs one. If the namespace has none, sets the
  // source to copy, or a generated Secret, in the environment; `found` keeps its document.
  aio::Task<std::optional<kube::Error>> read_mpi_secret(ObservedState& observed,
                                                        NamespaceEnvironment& found,
                                                        ReconcileContext& context);
  // Looks up the graph's queue of KAI, if that schedules its pods: in the cache, then, since that
  // may be stale or not allowed, on the API server.
  aio::Task<std::optional<kube::Error>> read_queue(ObservedState& observed,
                                                   ReconcileContext& context);
  bool is_role_of_ours(std::string_view name) const;

  const RenderSettings settings_;
  const std::vector<OwnedKind> kinds_;
  const ClusterState& cluster_state_;
  OperatorValidator validator_;
};

// `cluster_state` must outlive the result.
std::unique_ptr<Reconciler> make(RenderSettings settings, const ClusterState& cluster_state);

}  // namespace dynamo::reconciler::graph
