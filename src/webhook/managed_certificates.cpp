#include "webhook/managed_certificates.hpp"

#include <chrono>
#include <future>
#include <utility>

#include "certs/managed/certificates.hpp"
#include "kube/controller/leader_election.hpp"
#include "process/pod_identity.hpp"

namespace dynamo::webhook {
namespace {

constexpr std::chrono::seconds kWithdrawalBudget{5};

certs::managed::Role role_of(Role role) {
  switch (role) {
    case Role::kServer:
      return certs::managed::Role::kServer;
    case Role::kKeeper:
      return certs::managed::Role::kKeeper;
    case Role::kAll:
      break;
  }
  return certs::managed::Role::kAll;
}

kube::ElectionOptions election_options(const certs::managed::Settings& settings) {
  kube::ElectionOptions options;
  options.namespace_name = settings.namespace_name;
  options.name = settings.service + "-leader";
  options.identity = settings.identity;
  return options;
}

}  // namespace

runtime::Result<std::optional<certs::managed::Settings>> managed_settings(
    const Options& options, const process::ClusterEnvironment& environment, bool connected) {
  if (options.cert_mode != CertMode::kManaged) {
    return std::optional<certs::managed::Settings>();
  }
  if (!connected) {
    return runtime::Error{
        "--cert-mode managed must have a connection to a cluster; found neither --kubeconfig nor "
        "the environment of a pod"};
  }
  certs::managed::Settings settings;
  settings.role = role_of(options.role);
  settings.namespace_name = options.own_namespace;
  if (settings.namespace_name.empty() && options.kubeconfig.empty()) {
    settings.namespace_name = process::namespace_of_pod(environment.service_account_directory);
  }
  if (settings.namespace_name.empty()) {
    return runtime::Error{
        "--cert-mode managed must know where its Service is; give --namespace, which has no "
        "default outside of a pod"};
  }
  settings.service = options.service;
  settings.secret = options.cert_secret;
  settings.cluster_domain = options.cluster_domain;
  settings.injection_label = options.injection_label;
  settings.inject_crds = options.inject_crds;
  settings.leaf_lifetime = std::chrono::duration_cast<std::chrono::seconds>(options.leaf_lifetime);
  settings.ca_lifetime = std::chrono::duration_cast<std::chrono::seconds>(options.ca_lifetime);
  settings.identity = process::new_identity("dynamo-webhook");
  return std::optional(std::move(settings));
}

struct ManagedCertificates::Impl {
  Impl(certs::managed::Settings settings, std::shared_ptr<certs::managed::Handover> handover,
       Dependencies given)
      : dependencies(std::move(given)),
        is_candidate(certs::managed::is_keeper(settings)),
        election(
            dependencies.cluster.client(), election_options(settings), dependencies.clock,
            dependencies.logger, [this] { certificates.set_leader(true); },
            [this] { certificates.set_leader(false); }),
        certificates(dependencies.loop, dependencies.cluster.client(), std::move(settings),
                     std::move(handover), dependencies.clock, dependencies.logger,
                     dependencies.handover_changed) {}

  Dependencies dependencies;
  const bool is_candidate;
  kube::LeaderElection election;
  certs::managed::Certificates certificates;
};

ManagedCertificates::ManagedCertificates(certs::managed::Settings settings,
                                         std::shared_ptr<certs::managed::Handover> handover,
                                         Dependencies dependencies)
    : impl_(std::make_unique<Impl>(std::move(settings), std::move(handover),
                                   std::move(dependencies))) {}

ManagedCertificates::~ManagedCertificates() = default;

void ManagedCertificates::start() {
  Impl* const impl = impl_.get();
  aio::TaskGroup& tasks = impl->dependencies.cluster.tasks();
  impl->certificates.start(tasks);
  if (!impl->is_candidate) return;
  tasks.spawn("leader election", [impl] { return impl->election.run(); });
}

void ManagedCertificates::withdraw() {
  std::promise<void> done;
  std::future<void> is_done = done.get_future();
  aio::TaskGroup last(impl_->dependencies.loop, impl_->dependencies.logger);
  last.spawn("this replica's end", [this, &done]() -> aio::Task<> {
    co_await impl_->certificates.withdraw();
    done.set_value();
  });
  is_done.wait_for(kWithdrawalBudget);
  last.stop();
}

std::optional<std::string> ManagedCertificates::not_ready() {
  return impl_->certificates.not_ready();
}

bool ManagedCertificates::is_leader() const {
  return impl_->election.leads();
}

}  // namespace dynamo::webhook
