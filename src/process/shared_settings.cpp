#include "process/shared_settings.hpp"

#include <chrono>

#include "admission/settings.hpp"

namespace dynamo::process {

api::Settings settings_of(const ClusterOptions& options) {
  api::Settings settings;
  settings.operator_version = admission::stamped_version(options.operator_version);
  settings.restricted_namespace = options.restricted_namespace;
  settings.operator_service_account = options.operator_service_account;
  settings.planner_service_accounts = options.planner_service_accounts;
  settings.default_request_image = options.dgdr_default_image;
  return settings;
}

cluster::LeaseTrust lease_trust(const ClusterOptions& options) {
  return {.longest = std::chrono::floor<std::chrono::seconds>(options.lease_max_duration),
          .namespaces = options.lease_namespaces,
          .holders = options.lease_holders};
}

cluster::MarkerLeaseOptions marker_options(const ClusterOptions& options) {
  return {.namespace_name = options.restricted_namespace,
          .identity = cluster::marker_identity(options.operator_version),
          .duration = std::chrono::duration_cast<std::chrono::seconds>(
              options.namespace_scope_lease_duration),
          .interval = options.namespace_scope_lease_renew_interval,
          .trust = lease_trust(options)};
}

cluster::ConfiguredFacts configured_facts(const ClusterOptions& options, bool operator_replaced) {
  return {.kubernetes_discovery = options.discovery_backend,
          .operator_generation = options.operator_generation,
          .operator_version = options.operator_version,
          .operator_replaced = operator_replaced,
          .gpu_discovery = options.operator_gpu_discovery,
          .checkpoints_enabled = options.operator_checkpoints};
}

}  // namespace dynamo::process
