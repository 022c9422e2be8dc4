#include "reconciler/settings.hpp"

#include <chrono>

namespace dynamo::reconciler {

cluster::ConfiguredFacts configured_facts(const Options& options) {
  cluster::ConfiguredFacts facts;
  facts.operator_generation = options.operator_generation;
  facts.kubernetes_discovery = options.discovery_backend;
  return facts;
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

kube::ElectionOptions election_options(const Options& options, const std::string& own_namespace,
                                       const std::string& identity) {
  const auto whole = [](std::chrono::nanoseconds length) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(length);
  };
  kube::ElectionOptions made;
  made.namespace_name =
      options.leader_election_namespace.empty() ? own_namespace : options.leader_election_namespace;
  made.name = options.leader_election_id;
  made.identity = identity;
  made.lease_duration = whole(options.leader_election_lease_duration);
  made.renew_deadline = whole(options.leader_election_renew_deadline);
  made.retry_period = whole(options.leader_election_retry_period);
  return made;
}

std::string operator_lease_namespace(const Options& options) {
  if (!options.operator_lease_namespace.empty()) return options.operator_lease_namespace;
  return options.restricted_namespace.empty() ? "kube-system" : options.restricted_namespace;
}

kube::EventRecorderOptions recorder_options(const std::string& identity) {
  kube::EventRecorderOptions options;
  options.controller = "dynamo-reconciler";
  options.instance = identity;
  return options;
}

}  // namespace dynamo::reconciler
