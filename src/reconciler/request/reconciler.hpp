// Reconciles DynamoGraphDeploymentRequests: observes, plans and executes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "desired/settings.hpp"
#include "reconciler/engine/cluster_state.hpp"
#include "reconciler/engine/reconciler.hpp"
#include "reconciler/request/job_slots.hpp"
#include "reconciler/request/observed.hpp"
#include "reconciler/request/plan.hpp"
#include "reconciler/verdict/operator_validator.hpp"
#include "reconciler/verdict/validator.hpp"

namespace dynamo::reconciler::request {

inline constexpr std::string_view kName = "request";

// On the loop's thread.
class RequestReconciler final : public Reconciler {
 public:
  // `max_jobs`: of profiling Jobs that run at once; 0: no limit. `cluster_state` must outlive it.
  RequestReconciler(RenderSettings settings, const ClusterState& cluster_state,
                    std::size_t max_jobs);

  void map_to_requests(const kube::Resource& of, const kube::StoreChange& change,
                       const CacheReader& cache, std::vector<kube::ObjectKey>& keys) const override;
  aio::Task<kube::ReconcileResult> reconcile(kube::ObjectKey key,
                                             ReconcileContext& context) override;

 private:
  using ReadError = std::optional<kube::Error>;

  // Each reads what the step needs, up to the first error.
  aio::Task<ReadError> observe(ObservedState& observed, ReconcileContext& context);
  aio::Task<ReadError> read_named(kube::Resource resource, std::string_view name,
                                  ObservedState& observed, ReconcileContext& context);
  aio::Task<ReadError> read_prerequisites(ObservedState& observed, ReconcileContext& context);
  aio::Task<ReadError> read_for_acceptance(ObservedState& observed, ReconcileContext& context);
  aio::Task<ReadError> read_job(ObservedState& observed, ReconcileContext& context);
  aio::Task<ReadError> read_for_job(ObservedState& observed, ReconcileContext& context);
  aio::Task<ReadError> read_profiling(ObservedState& observed, ReconcileContext& context);
  aio::Task<ReadError> read_pods(const kube::Object& job, ObservedState& observed,
                                 ReconcileContext& context);
  aio::Task<ReadError> read_result(ObservedState& observed, ReconcileContext& context);
  aio::Task<ReadError> read_graph(ObservedState& observed, ReconcileContext& context);

  // Executes the creations of generated ConfigMaps, notes the refused ones, and plans again.
  // Returns how the reconcile ends if it cannot proceed.
  aio::Task<std::optional<kube::ReconcileResult>> create_config_maps(Plan& made,
                                                                     ObservedState& observed,
                                                                     ReconcileContext& context);
  aio::Task<kube::ReconcileResult> execute(Plan made, ObservedState& observed,
                                           ReconcileContext& context);

  void validate_graph(ObservedState& observed);
  // Reserves a slot for the Job if one is free. Nothing may run between the count and the
  // reservation.
  void take_slot(ObservedState& observed, bool& leaves_slot, const CacheReader& cache);
  // After a plan that creates no Job. Returns whether the request had a slot, and has none now.
  bool release_unused_slot(const ObservedState& observed);
  // The same, after a plan that creates the Job.
  aio::Task<bool> release_refused_slot(kube::ObjectKey key, kube::ReconcileResult result,
                                       ReconcileContext& context);
  // Wakes the request that waits longest, if a slot is free.
  void wake_next(ReconcileContext& context);
  // Sets `leaves_slot` if a slot is free again without a Job that ended.
  aio::Task<kube::ReconcileResult> reconcile_request(kube::ObjectKey key, bool& leaves_slot,
                                                     ReconcileContext& context);
  // Without reads.
  ObservedState initial_state_of(const kube::Object& request, ReconcileContext& context) const;
  // The cached objects of all namespaces are known, not only those of one.
  bool is_cluster_wide() const { return !settings_.environment.namespace_restricted; }
  // Why this reconciler creates nothing in the graph's namespace; "" if it does.
  std::string refusal_of_namespace(const kube::Object& request, const std::string& target) const;

  const RenderSettings settings_;
  const ClusterState& cluster_state_;
  const std::size_t max_jobs_;
  OperatorValidator validator_;
  validation::StoredObjectValidator graph_validator_;
  JobSlots slots_;
  // The generation whose rejection was reported, of frozen requests.
  std::map<kube::ObjectKey, std::int64_t> rejected_;
};

// `cluster_state` must outlive the result.
std::unique_ptr<Reconciler> make(RenderSettings settings, const ClusterState& cluster_state,
                                 std::size_t max_jobs);

}  // namespace dynamo::reconciler::request
