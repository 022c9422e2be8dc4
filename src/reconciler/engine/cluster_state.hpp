// Cluster state other than objects: settings, facts, leases, policy, time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "admission/evaluate.hpp"
#include "admission/namespace_lease.hpp"
#include "admission/policy.hpp"
#include "api/context.hpp"
#include "runtime/clock.hpp"
#include "runtime/rcu_cell.hpp"

namespace dynamo::reconciler {

// Read and written on the loop's thread only.
struct ClusterState {
  // `cluster_clock` must outlive it.
  explicit ClusterState(const runtime::Clock& cluster_clock) : clock(cluster_clock) {}

  // Valid until the calling coroutine is suspended.
  admission::EvaluationInputs evaluation_inputs() const {
    return {.settings = settings,
            .facts = facts.latest(),
            .leases = leases.latest(),
            .now = clock.wall(),
            .policy = policy.get()};
  }

  const runtime::Clock& clock;
  api::Settings settings = {};
  std::vector<std::string> excluded_namespaces = {};  // no objects are created there
  // From the operator's flags. Without a gateway no VirtualServices are created.
  std::string istio_gateway = {};
  std::string ingress_host_suffix = "local";
  runtime::RcuCell<api::ClusterFacts> facts;
  runtime::RcuCell<admission::NamespaceLeases> leases{
      std::make_unique<const admission::NoNamespaceLeases>()};
  std::shared_ptr<const admission::Policy> policy = {};  // null: none
};

}  // namespace dynamo::reconciler
