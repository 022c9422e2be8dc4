#include "process/cluster_connection.hpp"

#include <chrono>
#include <future>
#include <utility>

#include "cluster/facts_watch.hpp"
#include "cluster/lease_watch.hpp"
#include "cluster/lookup_watch.hpp"
#include "cluster/rejected_lease_reporter.hpp"
#include "kube/cache/informer.hpp"
#include "kube/config/config.hpp"
#include "kube/http/http_transport.hpp"
#include "runtime/build_info.hpp"

namespace dynamo::process {
namespace {

constexpr std::chrono::seconds kReleaseBudget{5};

template <class Number>
std::optional<double> number(std::optional<Number> value) {
  if (!value) return std::nullopt;
  return static_cast<double>(*value);
}

std::string not_yet(std::string_view what, const std::string& last_error) {
  std::string text(what);
  if (!last_error.empty()) text += ": " + last_error;
  return text;
}

double number(bool is_true) {
  return is_true ? 1 : 0;
}

}  // namespace

kube::Result<TransportFactory> cluster_connect(const ClusterSettings& settings,
                                               const ClusterEnvironment& environment,
                                               const runtime::Clock& clock,
                                               runtime::Logger& logger) {
  const bool has_file = !settings.kubeconfig.empty();
  const bool is_wanted = settings.is_wanted && (has_file || !environment.service_host.empty());
  if (!is_wanted) {
    logger.log(runtime::Level::kInfo, "no connection to a cluster",
               {{"reason", !settings.is_wanted
                               ? "--cluster-connection none"
                               : "neither --kubeconfig nor KUBERNETES_SERVICE_HOST is set"}});
    return TransportFactory{};
  }
  auto config = has_file
                    ? kube::load_kubeconfig(settings.kubeconfig, settings.kube_context, clock,
                                            "from --kubeconfig")
                    : kube::load_in_cluster(environment.service_account_directory,
                                            environment.service_host, environment.service_port);
  if (!config) return config.error();
  logger.log(runtime::Level::kInfo, "connection to a cluster",
             {{"server", config->address()},
              {"origin", has_file ? std::string_view(settings.kubeconfig) : "service account"},
              {"context", config->context}});
  kube::HttpTransportOptions transport;
  transport.connections = settings.connections;
  transport.user_agent = runtime::user_agent(settings.program);
  return TransportFactory(
      [config = *std::move(config), transport, &clock, &logger](boost::asio::io_context& loop) {
        return std::make_unique<kube::HttpTransport>(loop, config, transport, clock, logger);
      });
}

void publish_configured_facts(const ClusterSettings& settings, ClusterView& view) {
  view.facts.publish(std::make_unique<const api::ClusterFacts>(cluster::facts_of(settings.facts)));
}

struct ClusterConnection::Impl {
  Impl(const ClusterSettings& settings, const TransportFactory& connect, Dependencies& given)
      : dependencies(given),
        transport(
            std::make_unique<cluster::ClockSyncTransport>(connect(given.loop), given.view.clock)),
        client(*transport),
        facts(client, settings.facts, given.view.facts, given.logger),
        is_reloaded(settings.is_reloaded),
        tasks(given.loop, given.logger) {
    if (!settings.is_reloaded) return;
    if (settings.restricted_namespace.empty()) {
      const cluster::LeaseTrust trust = settings.lease_trust;
      leases.emplace(given.loop, given.view.leases, given.logger, cluster::LeaseWatch::kPace,
                     trust);
      reporter.emplace(given.loop, client, leases->records(), given.view.clock, given.logger,
                       cluster::RejectedLeaseReporterOptions{.longest = trust.longest});
      leases->set_listener([this](const std::string& name, const cluster::LeaseRecord& lease) {
        reporter->notice(name, lease);
      });
      informer.emplace(client, kube::kLeases, cluster::lease_informer_options(), *leases,
                       given.logger);
    } else {
      marker.emplace(given.loop, *transport, settings.marker, given.view.clock, given.logger,
                     given.must_end);
    }
    if (!settings.lookups.empty()) {
      lookups.emplace(given.loop, client,
                      cluster::LookupOptions{.kinds = settings.lookups,
                                             .namespace_name = settings.restricted_namespace},
                      given.view.objects, given.clock, given.logger);
    }
  }

  void start() {
    if (!is_reloaded) return;
    tasks.spawn("facts of the cluster", [this] { return facts.run(); });
    if (leases) {
      tasks.spawn("namespace leases", [this] { return informer->run(); });
      tasks.spawn("namespace publication of leases", [this] { return leases->run(); });
      tasks.spawn("reports of untrusted leases", [this] { return reporter->run(); });
    }
    if (marker) {
      tasks.spawn("marker lease", [this] { return marker->run(); });
    }
    if (lookups) lookups->spawn(tasks);
  }

  // Renewals have ended, so nothing is written after the deletion.
  void give_marker_back() {
    std::promise<void> done;
    std::future<void> is_done = done.get_future();
    aio::TaskGroup last(dependencies.loop, dependencies.logger);
    last.spawn("marker lease's end", [this, &done]() -> aio::Task<> {
      co_await marker->release();
      done.set_value();
    });
    is_done.wait_for(kReleaseBudget);
    last.stop();
  }

  Dependencies dependencies;
  std::unique_ptr<kube::Transport> transport;
  kube::Client client;
  cluster::FactsWatch facts;
  std::optional<cluster::LeaseWatch> leases;
  std::optional<cluster::RejectedLeaseReporter> reporter;  // with leases
  std::optional<kube::Informer> informer;
  std::optional<cluster::MarkerLease> marker;
  std::optional<cluster::LookupWatch> lookups;
  const bool is_reloaded;
  aio::TaskGroup tasks;  // ends first
};

ClusterConnection::ClusterConnection(const ClusterSettings& settings,
                                     const TransportFactory& connect, Dependencies dependencies)
    : impl_(std::make_unique<Impl>(settings, connect, dependencies)) {}

ClusterConnection::~ClusterConnection() {
  end();
}

void ClusterConnection::end() {
  impl_->tasks.stop();
}

void ClusterConnection::start() {
  impl_->start();
}

void ClusterConnection::release() {
  end();
  if (impl_->marker) impl_->give_marker_back();
}

std::optional<std::string> ClusterConnection::not_ready() const {
  if (impl_->informer && !impl_->informer->is_synced()) {
    return not_yet("the leases of namespaces were not listed yet", impl_->informer->last_error());
  }
  if (impl_->marker && !impl_->marker->is_settled()) {
    return not_yet("the marker lease is not held yet", impl_->marker->last_error());
  }
  return std::nullopt;
}

kube::Client& ClusterConnection::client() {
  return impl_->client;
}
kube::Transport& ClusterConnection::transport() {
  return *impl_->transport;
}
aio::TaskGroup& ClusterConnection::tasks() {
  return impl_->tasks;
}

std::optional<double> ClusterConnection::live_leases() const {
  if (!impl_->leases) return std::nullopt;
  return static_cast<double>(impl_->leases->live(impl_->dependencies.view.clock.wall()));
}
std::optional<double> ClusterConnection::rejected_leases(
    admission::LeaseRejection rejection) const {
  if (!impl_->leases) return std::nullopt;
  return static_cast<double>(
      impl_->leases->count_rejected(rejection, impl_->dependencies.view.clock.wall()));
}
std::optional<double> ClusterConnection::watch_is_open() const {
  if (!impl_->informer) return std::nullopt;
  return number(impl_->informer->is_watching());
}
std::optional<double> ClusterConnection::watch_restarts() const {
  if (!impl_->informer) return std::nullopt;
  return static_cast<double>(impl_->informer->restarts());
}
std::optional<double> ClusterConnection::marker_is_held() const {
  if (!impl_->marker) return std::nullopt;
  return number(impl_->marker->is_held());
}
std::optional<double> ClusterConnection::marker_failures() const {
  if (!impl_->marker) return std::nullopt;
  return static_cast<double>(impl_->marker->failures());
}

std::optional<double> ClusterConnection::marker_conflicts() const {
  if (!impl_->marker) return std::nullopt;
  return static_cast<double>(impl_->marker->conflicts());
}

std::optional<double> ClusterConnection::looked_up(api::LookupKind kind) const {
  if (!impl_->lookups) return std::nullopt;
  return number(impl_->lookups->size(kind));
}
std::optional<double> ClusterConnection::lookup_restarts(api::LookupKind kind) const {
  if (!impl_->lookups) return std::nullopt;
  return number(impl_->lookups->restarts(kind));
}

}  // namespace dynamo::process
