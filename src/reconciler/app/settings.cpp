#include "reconciler/app/settings.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "cluster/reconciler_lease.hpp"
#include "reconciler/engine/action_executor.hpp"

namespace dynamo::reconciler {
namespace {

render::Profile profile_of(const Options& options) {
  render::Profile profile = render::default_operator_profile();
  // Without a stated one, the reconciler renders as the first generation does.
  const api::OperatorGeneration stated =
      options.operator_generation.value_or(api::OperatorGeneration::kUnknown);
  if (stated != api::OperatorGeneration::kUnknown) profile.operator_generation = stated;
  if (options.discovery_backend == api::Fact::kNo) {
    profile.discovery = render::DiscoveryBackend::kEtcd;
  }
  return profile;
}

}  // namespace

std::vector<std::string> excluded_namespaces(const Options& options,
                                             const std::string& pod_namespace) {
  std::vector<std::string> excluded = options.excluded_namespaces;
  if (options.excludes_pod_namespace && !pod_namespace.empty()) excluded.push_back(pod_namespace);
  return excluded;
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
  const bool replaces = options.mode == validation::Mode::kReplacement;
  made.annotations.emplace_back(cluster::kModeAnnotation,
                                replaces ? cluster::kReplacementMode : cluster::kCompanionMode);
  made.annotations.emplace_back(cluster::kScopeAnnotation, options.restricted_namespace);
  made.labels.emplace_back(cluster::kReconcilerLabel, cluster::kReconcilerLabelValue);
  made.lease_duration = whole(options.leader_election_lease_duration);
  made.renew_deadline = whole(options.leader_election_renew_deadline);
  made.retry_period = whole(options.leader_election_retry_period);
  return made;
}

RenderSettings render_settings(const Options& options) {
  RenderSettings settings;
  settings.mpi_secret_copies = mpi_secret_copies(options);
  settings.etcd_url = etcd_url_of(options.etcd_address);
  settings.etcd_files = {.ca = options.etcd_ca_file,
                         .certificate = options.etcd_cert_file,
                         .key = options.etcd_key_file,
                         .username = options.etcd_username_file,
                         .password = options.etcd_password_file};
  render::RenderEnvironment& environment = settings.environment;
  environment.profile = profile_of(options);
  environment.namespace_restricted = !options.restricted_namespace.empty();
  set_environment(options, environment);
  return settings;
}

std::string operator_lease_namespace(const Options& options) {
  if (!options.operator_lease_namespace.empty()) return options.operator_lease_namespace;
  return options.restricted_namespace.empty() ? std::string(cluster::kOperatorLeaseNamespace)
                                              : options.restricted_namespace;
}

std::chrono::milliseconds call_deadline(const Options& options) {
  if (!options.leader_elect) return ActionExecutor::kMaxOfCall;
  const auto between =
      options.leader_election_lease_duration - options.leader_election_renew_deadline;
  return std::min(ActionExecutor::kMaxOfCall,
                  std::chrono::duration_cast<std::chrono::milliseconds>(between * 4 / 5));
}

kube::EventRecorderOptions recorder_options(const Options& given, const std::string& identity,
                                            std::function<bool()> can_send) {
  kube::EventRecorderOptions options;
  options.can_send = std::move(can_send);
  options.deadline = call_deadline(given);
  options.controller = "dynamo-reconciler";
  options.instance = identity;
  return options;
}

}  // namespace dynamo::reconciler
