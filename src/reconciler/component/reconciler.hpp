// Reconciles DynamoComponentDeployments: observes, plans and executes.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "desired/settings.hpp"
#include "reconciler/component/etcd_gateway.hpp"
#include "reconciler/component/observed.hpp"
#include "reconciler/component/references.hpp"
#include "reconciler/engine/cluster_state.hpp"
#include "reconciler/engine/observe.hpp"
#include "reconciler/engine/reconciler.hpp"
#include "reconciler/verdict/operator_validator.hpp"

namespace dynamo::reconciler::component {

inline constexpr std::string_view kName = "component";

// On the loop's thread.
class ComponentReconciler final : public Reconciler {
 public:
  // `cluster_state` must outlive it.
  ComponentReconciler(RenderSettings settings, const ClusterState& cluster_state,
                      std::shared_ptr<EtcdGateway> etcd);

  void map_to_requests(const kube::Resource& of, const kube::StoreChange& change,
                       const CacheReader& cache, std::vector<kube::ObjectKey>& keys) const override;
  aio::Task<kube::ReconcileResult> reconcile(kube::ObjectKey key,
                                             ReconcileContext& context) override;

 private:
  // A component whose pods exist and do not become ready.
  struct LateComponent {
    std::chrono::steady_clock::time_point since{};
    std::chrono::steady_clock::time_point checked_at{};
    std::int64_t generation = 0;                       // of the spec that was checked
    std::vector<Reference> missing = {};               // references of the spec
    std::map<std::string, std::string> refusals = {};  // by pod group
  };
  // Delay until the next check of why pods are not ready: a minute once the component is late; 0
  // if no pods wait.
  std::chrono::seconds wait_for(const kube::ObjectKey& key, const ObservedState& observed,
                                ReconcileContext& context);
  // For a late component: finds missing objects that the spec references, and why pods of its
  // groups are refused. Reads at most once a minute per spec.
  aio::Task<> find_missing(ObservedState& observed, ReconcileContext& context);
  // Result of that search.
  struct Diagnosis {
    std::vector<Reference> missing = {};
    std::optional<kube::Error> read_error = {};  // the first read error
    std::map<std::string, std::string> refusals = {};
    std::optional<kube::Error> refusals_error = {};
  };
  aio::Task<> diagnose(const ObservedState& observed, ReconcileContext& context,
                       Diagnosis& diagnosis);
  // Looks up references in the caches, or by name on the server.
  aio::Task<> look_up_references(const ObservedState& observed, ReconcileContext& context,
                                 Diagnosis& diagnosis);
  // Executes and removes the HTTP calls among the actions. No other action depends on their
  // success.
  aio::Task<> call(const kube::Object& component, std::vector<Action>& actions,
                   ReconcileContext& context);

  const RenderSettings settings_;
  const ClusterState& cluster_state_;
  OperatorValidator validator_;
  const std::shared_ptr<EtcdGateway> etcd_;
  const std::vector<OwnedKind> kinds_;
  std::map<kube::ObjectKey, LateComponent> late_;
};

// With production dependencies. `cluster_state` must outlive the result.
std::unique_ptr<Reconciler> make(RenderSettings settings, const ClusterState& cluster_state);

}  // namespace dynamo::reconciler::component
