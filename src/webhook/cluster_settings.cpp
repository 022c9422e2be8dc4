#include "webhook/cluster_settings.hpp"

#include <chrono>

#include "cluster/lookup_watch.hpp"

namespace dynamo::webhook {
namespace {

cluster::ConfiguredFacts configured_facts(const runtime::Options& options) {
  cluster::ConfiguredFacts facts;
  switch (options.discovery_backend) {
    case runtime::DiscoveryBackend::kKubernetes:
      facts.kubernetes_discovery = api::Fact::kYes;
      break;
    case runtime::DiscoveryBackend::kEtcd:
      facts.kubernetes_discovery = api::Fact::kNo;
      break;
    case runtime::DiscoveryBackend::kUnknown:
      break;
  }
  switch (options.operator_generation) {
    case runtime::OperatorGeneration::kFirst:
      facts.operator_generation = api::OperatorGeneration::kFirst;
      break;
    case runtime::OperatorGeneration::kLater:
      facts.operator_generation = api::OperatorGeneration::kLater;
      break;
    case runtime::OperatorGeneration::kUnknown:
      break;
  }
  return facts;
}

cluster::LeaseTrust lease_trust(const runtime::Options& options) {
  return {.longest = std::chrono::floor<std::chrono::seconds>(options.lease_max_duration),
          .namespaces = options.lease_namespaces,
          .holders = options.lease_holders};
}

cluster::MarkerLeaseOptions marker_options(const runtime::Options& options) {
  return {.namespace_name = options.restricted_namespace,
          .identity = cluster::marker_identity(options.operator_version),
          .duration = std::chrono::duration_cast<std::chrono::seconds>(
              options.namespace_scope_lease_duration),
          .interval = options.namespace_scope_lease_renew_interval,
          .trust = lease_trust(options)};
}

}  // namespace

process::ClusterSettings cluster_settings(const runtime::Options& options) {
  process::ClusterSettings settings{
      .is_wanted = options.cluster_connection == runtime::ClusterConnection::kAuto,
      .kubeconfig = options.kubeconfig,
      .kube_context = options.kube_context,
      .facts = configured_facts(options),
      .lease_trust = lease_trust(options),
      .restricted_namespace = options.restricted_namespace};
  if (!options.restricted_namespace.empty()) settings.marker = marker_options(options);
  if (!options.cluster_lookups.empty()) {
    settings.lookups = cluster::looked_up_kinds(options.cluster_lookups);
  }
  return settings;
}

}  // namespace dynamo::webhook
