#include "webhook/cluster_settings.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "api/kind.hpp"
#include "cluster/lookup_watch.hpp"
#include "process/shared_settings.hpp"
#include "runtime/build_info.hpp"

namespace dynamo::webhook {

bool omits_secrets(const Options& options) {
  const std::vector<api::LookupKind> kinds = cluster::looked_up_kinds(options.cluster_lookups);
  return options.client_ca_file.empty() &&
         std::ranges::find(kinds, api::LookupKind::kSecret) != kinds.end();
}

process::ClusterSettings cluster_settings(const Options& options) {
  process::ClusterSettings settings{
      .program = std::string(runtime::kProgramName),
      .is_wanted = options.cluster_connection == ConnectMode::kAuto,
      .kubeconfig = options.kubeconfig,
      .kube_context = options.kube_context,
      .facts = process::configured_facts(options, options.operator_replaced),
      .lease_trust = process::lease_trust(options),
      .restricted_namespace = options.restricted_namespace};
  const auto is_unserved = [&options](api::Kind kind) {
    return std::ranges::find(options.unserved_kinds, api::names(kind).name) !=
           options.unserved_kinds.end();
  };
  settings.facts.requests_unserved = is_unserved(api::Kind::kGraphDeploymentRequest);
  settings.facts.checkpoints_unserved = is_unserved(api::Kind::kCheckpoint);
  // Namespace Leases, facts and names are for rules, which a keeper does not evaluate.
  if (options.role == Role::kKeeper) {
    settings.is_reloaded = false;
    return settings;
  }
  if (!options.restricted_namespace.empty()) settings.marker = process::marker_options(options);
  if (!options.cluster_lookups.empty()) {
    settings.lookups = cluster::looked_up_kinds(options.cluster_lookups);
    if (omits_secrets(options)) std::erase(settings.lookups, api::LookupKind::kSecret);
  }
  return settings;
}

}  // namespace dynamo::webhook
