#include "webhook/cluster_settings.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "cluster/lookup_watch.hpp"
#include "runtime/build_info.hpp"

namespace dynamo::webhook {
namespace {

cluster::ConfiguredFacts configured_facts(const Options& options) {
  return {.kubernetes_discovery = options.discovery_backend,
          .operator_generation = options.operator_generation,
          .operator_replaced = options.operator_replaced};
}

cluster::LeaseTrust lease_trust(const Options& options) {
  return {.longest = std::chrono::floor<std::chrono::seconds>(options.lease_max_duration),
          .namespaces = options.lease_namespaces,
          .holders = options.lease_holders};
}

cluster::MarkerLeaseOptions marker_options(const Options& options) {
  return {.namespace_name = options.restricted_namespace,
          .identity = cluster::marker_identity(options.operator_version),
          .duration = std::chrono::duration_cast<std::chrono::seconds>(
              options.namespace_scope_lease_duration),
          .interval = options.namespace_scope_lease_renew_interval,
          .trust = lease_trust(options)};
}

}  // namespace

bool leaves_secrets_out(const Options& options) {
  const std::vector<api::LookupKind> kinds = cluster::looked_up_kinds(options.cluster_lookups);
  return options.client_ca_file.empty() &&
         std::ranges::find(kinds, api::LookupKind::kSecret) != kinds.end();
}

process::ClusterSettings cluster_settings(const Options& options) {
  process::ClusterSettings settings{.program = std::string(runtime::kProgramName),
                                    .is_wanted = options.cluster_connection == ConnectMode::kAuto,
                                    .kubeconfig = options.kubeconfig,
                                    .kube_context = options.kube_context,
                                    .facts = configured_facts(options),
                                    .lease_trust = lease_trust(options),
                                    .restricted_namespace = options.restricted_namespace};
  // Namespace Leases, facts and names are for rules, which a keeper does not evaluate.
  if (options.role == Role::kKeeper) {
    settings.is_reloaded = false;
    return settings;
  }
  if (!options.restricted_namespace.empty()) settings.marker = marker_options(options);
  if (!options.cluster_lookups.empty()) {
    settings.lookups = cluster::looked_up_kinds(options.cluster_lookups);
    if (leaves_secrets_out(options)) std::erase(settings.lookups, api::LookupKind::kSecret);
  }
  return settings;
}

}  // namespace dynamo::webhook
