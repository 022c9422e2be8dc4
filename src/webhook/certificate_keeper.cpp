#include "webhook/certificate_keeper.hpp"

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "aio/control_loop.hpp"
#include "certs/managed/managed_source.hpp"
#include "process/plain_http.hpp"
#include "process/probes.hpp"
#include "process/shutdown_signals.hpp"
#include "runtime/build_info.hpp"
#include "runtime/metrics.hpp"
#include "runtime/process_metrics.hpp"
#include "webhook/admission_handler.hpp"
#include "webhook/cluster_settings.hpp"
#include "webhook/managed_certificates.hpp"
#include "webhook/metrics.hpp"

namespace dynamo::webhook {
namespace {

runtime::Result<void> named(std::string_view flag, runtime::Result<void> bound) {
  if (bound) return bound;
  return runtime::Error{std::string(flag) + ": " + bound.error().text};
}

}  // namespace

// Declared in the order of dependencies; destroyed in the reverse order.
struct CertificateKeeper::Impl {
  struct Listeners {
    explicit Listeners(Impl& keeper)
        : probes(keeper.control,
                 [&keeper](auto path, auto query) { return keeper.health.answer(path, query); }),
          scrapes(keeper.control,
                  process::metrics_handler([&keeper] { return keeper.registry.serialise(); })) {}

    process::PlainHttp probes;
    process::PlainHttp scrapes;
  };

  Impl(const Options& given, Dependencies given_dependencies)
      : options(given),
        dependencies(std::move(given_dependencies)),
        view(dependencies.clock, dependencies.log),
        metrics(registry, metric_rule_ids()),
        control(dependencies.log),
        signal_thread(dependencies.log),
        listeners(std::make_unique<Listeners>(*this)),
        signals(signal_thread, [this](int number) { on_signal(number); }),
        last_resort({.thread = signal_thread,
                     .logger = dependencies.log,
                     .what_is_stuck = [] { return std::string("the keeper of certificates"); },
                     .end_process = dependencies.end_process}),
        cluster(std::make_unique<process::ClusterConnection>(
            cluster_settings(options), dependencies.connect,
            process::ClusterConnection::Dependencies{.loop = control.io(),
                                                     .view = view,
                                                     .clock = dependencies.clock,
                                                     .logger = dependencies.log,
                                                     .must_end = {}})),
        managed(std::make_unique<ManagedCertificates>(
            dependencies.managed, handover,
            ManagedCertificates::Dependencies{.loop = control.io(),
                                              .cluster = *cluster,
                                              .clock = dependencies.clock,
                                              .logger = dependencies.log,
                                              .handover_changed = [] {}})) {
    // `ready` and the other serving metrics stay unbound: alerts count the replicas that export
    // them.
    metrics.bind(handover->stats);
    metrics.leads.bind([this](std::size_t) { return managed->is_leader() ? 1.0 : 0.0; });
    metrics.log_lines_dropped.bind(
        [this](std::size_t) { return static_cast<double>(dependencies.log.dropped_lines()); });
    runtime::add_process_metrics(registry);
    health.add("shutdown", [this]() -> std::optional<std::string> {
      if (is_stopping) return "the keeper is shutting down";
      return std::nullopt;
    });
    health.add("managed certificates", [this] { return managed->not_ready(); });
  }

  ~Impl() { stop(); }

  runtime::Result<void> start() {
    auto bound = named("--health-probe-bind-address",
                       listeners->probes.start(options.health_probe_bind_address));
    if (bound) {
      bound =
          named("--metrics-bind-address", listeners->scrapes.start(options.metrics_bind_address));
    }
    if (!bound) return bound;
    dependencies.log.log(runtime::Level::kInfo, "keeping certificates",
                         {{"version", runtime::program_version()},
                          {"secret", certs::managed::secret_name(dependencies.managed)},
                          {"probe_port", listeners->probes.port()},
                          {"metrics_port", listeners->scrapes.port()}});
    cluster->start();
    managed->start();
    signal_thread.start();
    control.start();
    is_started = true;
    return {};
  }

  void on_signal(int number) {
    if (number > 1) last_resort.end("a second signal came");
  }

  // Same order as in the webhook: the connection's tasks end on the running control loop, the rest
  // after the loop has stopped.
  void stop() {
    if (std::exchange(is_started, false)) {
      is_stopping = true;
      last_resort.arm(dependencies.last_resort_grace);
      cluster->release();
      managed->withdraw();
      dependencies.log.log(runtime::Level::kInfo, "stopped");
    }
    cluster->end();
    listeners.reset();
    control.stop();
    signals.end();
    signal_thread.stop();
  }

  const Options options;
  const Dependencies dependencies;
  process::ClusterView view;
  runtime::MetricsRegistry registry;
  WebhookMetrics metrics;
  process::Probes health;
  aio::ControlLoop control;
  aio::ControlLoop signal_thread;
  const std::shared_ptr<certs::managed::Handover> handover =
      std::make_shared<certs::managed::Handover>();
  std::unique_ptr<Listeners> listeners;
  process::ShutdownSignals signals;
  process::LastResort last_resort;
  std::atomic<bool> is_stopping{false};
  bool is_started = false;
  std::unique_ptr<process::ClusterConnection> cluster;
  std::unique_ptr<ManagedCertificates> managed;
};

CertificateKeeper::CertificateKeeper(const Options& options, Dependencies dependencies)
    : impl_(std::make_unique<Impl>(options, std::move(dependencies))) {}

CertificateKeeper::~CertificateKeeper() = default;

runtime::Result<void> CertificateKeeper::start() {
  return impl_->start();
}

void CertificateKeeper::wait() {
  impl_->signals.wait();
}

void CertificateKeeper::stop() {
  impl_->stop();
}

std::uint16_t CertificateKeeper::probe_port() const {
  return impl_->listeners->probes.port();
}

std::uint16_t CertificateKeeper::metrics_port() const {
  return impl_->listeners->scrapes.port();
}

}  // namespace dynamo::webhook
