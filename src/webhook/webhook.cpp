#include "webhook/webhook.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "aio/control_loop.hpp"
#include "certs/client_ca.hpp"
#include "certs/file_io.hpp"
#include "certs/files_source.hpp"
#include "certs/managed/managed_source.hpp"
#include "certs/rehearsal.hpp"
#include "certs/self_signed.hpp"
#include "certs/tls_provider.hpp"
#include "process/plain_http.hpp"
#include "process/policy_file.hpp"
#include "process/probes.hpp"
#include "process/shared_settings.hpp"
#include "runtime/build_info.hpp"
#include "runtime/cpu_quota.hpp"
#include "runtime/metrics.hpp"
#include "runtime/process_metrics.hpp"
#include "server/counters.hpp"
#include "server/server.hpp"
#include "validators/content/siphash.hpp"
#include "webhook/admission_handler.hpp"
#include "webhook/cluster_settings.hpp"
#include "webhook/conversion_handler.hpp"
#include "webhook/managed_certificates.hpp"
#include "webhook/memory_bound.hpp"
#include "webhook/metrics.hpp"
#include "webhook/request_dispatcher.hpp"
#include "webhook/shutdown.hpp"

namespace dynamo::webhook {
namespace {

using certs::managed::Handover;

std::chrono::milliseconds milliseconds(std::chrono::nanoseconds duration) {
  return std::chrono::ceil<std::chrono::milliseconds>(duration);
}

AdmissionOptions admission_options(const Options& options) {
  return {.enforcement = options.enforcement,
          .max_json_depth = options.max_json_depth,
          .log_allowed = options.log_allowed};
}

std::size_t threads_of(const Options& options) {
  return options.threads == 0 ? runtime::usable_cpus() : options.threads;
}

server::ServerOptions server_options(const Options& options) {
  return {.address = options.bind_address,
          .threads = threads_of(options),
          .limits = {.max_body_bytes = options.max_body_bytes,
                     .max_connections = options.max_connections,
                     .max_in_flight = options.max_in_flight,
                     .handshake_timeout = milliseconds(options.handshake_timeout),
                     .header_timeout = milliseconds(options.header_timeout),
                     .body_timeout = milliseconds(options.body_timeout),
                     .idle_timeout = milliseconds(options.idle_timeout),
                     .max_body_memory = options.max_body_memory,
                     .max_connections_per_address = options.max_connections_per_address,
                     .max_connections_per_client = options.max_connections_per_client},
          .shutdown_delay = milliseconds(options.shutdown_delay),
          .drain_timeout = milliseconds(options.drain_timeout)};
}

std::unique_ptr<certs::Source> certificate_source(const Options& options,
                                                  const runtime::Clock& clock, runtime::Logger& log,
                                                  std::shared_ptr<Handover> handover) {
  if (options.cert_mode == CertMode::kManaged) {
    return std::make_unique<certs::managed::ManagedSource>(std::move(handover));
  }
  if (options.cert_mode == CertMode::kSelfSigned) {
    certs::SelfSignedOptions self_signed;
    self_signed.ca_directory = options.cert_dir;
    return std::make_unique<certs::SelfSignedSource>(std::move(self_signed), clock, log);
  }
  return std::make_unique<certs::FilesSource>(options.cert_dir, clock, log);
}

std::unique_ptr<certs::ClientCa> client_ca(const Options& options, const runtime::Clock& clock,
                                           runtime::Logger& log) {
  if (options.client_ca_file.empty()) return nullptr;
  return std::make_unique<certs::ClientCa>(options.client_ca_file, options.client_allowed_names,
                                           clock, log);
}

certs::TlsOptions tls_options(const Options& options) {
  return {.min_version = options.tls_min_version, .ciphers = options.tls_ciphers};
}

}  // namespace

// Declared in the order of dependencies; destroyed in the reverse order.
struct Webhook::Impl {
  struct Listeners {
    explicit Listeners(Impl& webhook)
        : server(server_options(webhook.options), webhook.server_dependencies()),
          probes(webhook.control,
                 [&webhook](auto path, auto query) { return webhook.health.answer(path, query); }),
          scrapes(webhook.control,
                  process::metrics_handler([&webhook] { return webhook.registry.serialise(); })) {}

    runtime::Result<void> start(const Options& given) {
      auto bound =
          named("--health-probe-bind-address", probes.start(given.health_probe_bind_address));
      if (bound) {
        bound = named("--metrics-bind-address", scrapes.start(given.metrics_bind_address));
      }
      // Last: it has threads, and cannot stop cleanly if the control loop does not run.
      if (bound) bound = named("--bind-address", server.start());
      return bound;
    }

    static runtime::Result<void> named(std::string_view flag, runtime::Result<void> bound) {
      if (bound) return bound;
      return runtime::Error{std::string(flag) + ": " + bound.error().text};
    }

    server::Server server;
    process::PlainHttp probes;
    process::PlainHttp scrapes;
  };

  Impl(const Options& given, const WebhookDependencies& given_dependencies)
      : options(given),
        dependencies(given_dependencies),
        settings(process::settings_of(given)),
        view(dependencies.clock, dependencies.log),
        metrics(registry, metric_rule_ids()),
        control(dependencies.log),
        tls(certificate_source(options, view.clock, dependencies.log, handover),
            client_ca(options, view.clock, dependencies.log),
            {.tls = tls_options(options), .published = [this] { log_serving(); }}, view.clock,
            dependencies.log),
        policy(options.policy, dependencies.log),
        listeners(std::make_unique<Listeners>(*this)),
        shutdown({.control = control,
                  .server = listeners->server,
                  .counters = counters.loops,
                  .logger = dependencies.log,
                  .clock = dependencies.clock,
                  .end_process = dependencies.end_process},
                 {.delay = milliseconds(options.shutdown_delay),
                  .drain = milliseconds(options.drain_timeout),
                  .grace = dependencies.last_resort_grace}) {
    process::publish_configured_facts(cluster_settings(options), view);
    connect();
    manage_certificates();
    bind_metrics();
    health.add_liveness("event loops", [this] { return listeners->server.watchdog()->problem(); });
    health.add("shutdown", [this] { return listeners->server.unready_reason(); });
    health.add("certificate", [this] { return tls.not_ready(); });
    if (cluster) health.add("cluster", [this] { return cluster->not_ready(); });
    if (managed) health.add("managed certificates", [this] { return managed->not_ready(); });
  }

  // The connection's tasks and the listeners end on the running control loop. Everything else ends
  // after the loop has stopped, including the connection's unused sockets, which the loop may be
  // polling. The shutdown thread ends last, because each earlier step may be stuck.
  ~Impl() {
    shutdown.forget_server();
    // the server can no longer be ended from here; probes still use it
    if (cluster) cluster->end();
    listeners.reset();
    control.stop();
    managed.reset();
    cluster.reset();
  }

  void connect() {
    if (dependencies.connect) {
      cluster = std::make_unique<process::ClusterConnection>(
          cluster_settings(options), dependencies.connect,
          process::ClusterConnection::Dependencies{
              .loop = control.io(),
              .view = view,
              .clock = dependencies.clock,
              .logger = dependencies.log,
              .must_end = [this](const cluster::MarkerLeaseLoss&) { must_end(); }});
    } else if (!options.restricted_namespace.empty()) {
      dependencies.log.log(runtime::Level::kWarning, "no marker lease is kept",
                           {{"reason", "there is no connection to a cluster"},
                            {"namespace", options.restricted_namespace}});
    }
    if (dependencies.connect && !options.cluster_lookups.empty() &&
        options.client_ca_file.empty()) {
      dependencies.log.log(
          runtime::Level::kWarning, "--cluster-lookups without --client-ca-file",
          {{"found", "anyone who reaches the port can ask which of these objects exist"},
           {"secrets", omits_secrets(options) ? "not looked up" : "not asked for"},
           {"advice",
            "give --client-ca-file, with the CA of the API server's client "
            "certificate"}});
    }
    if (!dependencies.connect && !options.cluster_lookups.empty()) {
      dependencies.log.log(runtime::Level::kWarning, "nothing is looked up",
                           {{"reason", "there is no connection to a cluster"}});
    }
  }

  void manage_certificates() {
    if (!cluster || !dependencies.managed) return;
    managed = std::make_unique<ManagedCertificates>(
        *dependencies.managed, handover,
        ManagedCertificates::Dependencies{.loop = control.io(),
                                          .cluster = *cluster,
                                          .clock = dependencies.clock,
                                          .logger = dependencies.log,
                                          .handover_changed = [this] { tls.poll(); }});
  }

  // On the control loop.
  void must_end() {
    exit_code = 1;
    shutdown.end_wait();
  }

  bool looks_up() const { return dependencies.connect && !options.cluster_lookups.empty(); }

  server::ServerDependencies server_dependencies() {
    const AdmissionServices services{.settings = settings,
                                     .facts = view.facts,
                                     .leases = view.leases,
                                     .metrics = metrics,
                                     .logger = dependencies.log,
                                     .clock = view.clock,
                                     .policy = options.policy.empty() ? nullptr : &policy,
                                     .objects = looks_up() ? &view.objects : nullptr};
    const ConversionServices conversion{
        .metrics = metrics, .logger = dependencies.log, .clock = view.clock};
    const server::HandlerFactory all_handlers = [services, conversion,
                                                 admission = admission_options(options)] {
      std::vector<std::unique_ptr<server::RequestHandler>> handlers;
      handlers.push_back(std::make_unique<AdmissionHandler>(services, admission));
      handlers.push_back(std::make_unique<ConversionHandler>(conversion, admission.max_json_depth));
      return std::make_unique<RequestDispatcher>(std::move(handlers));
    };
    return {.control = control,
            .tls_context = [this] { return tls.context(); },
            .handlers = dependencies.handlers ? dependencies.handlers : all_handlers,
            .logger = dependencies.log,
            .clock = dependencies.clock,
            .counters = counters};
  }

  void bind_metrics() {
    metrics.bind(counters);
    metrics.enforcement.at(static_cast<std::size_t>(options.enforcement)).set(1);
    metrics.certificate_not_after.bind([this](std::size_t) -> std::optional<double> {
      const auto not_after = tls.not_after();
      if (!not_after) return std::nullopt;
      return std::chrono::duration<double>(not_after->time_since_epoch()).count();
    });
    metrics.certificate_reload_errors.bind(
        [this](std::size_t) { return static_cast<double>(tls.reload_errors()); });
    metrics.policy_reload_errors.bind(
        [this](std::size_t) { return static_cast<double>(policy.reload_errors()); });
    metrics.log_lines_dropped.bind(
        [this](std::size_t) { return static_cast<double>(dependencies.log.dropped_lines()); });
    metrics.ready.bind(
        [this](std::size_t) { return health.answer("/readyz", "").status == 200 ? 1.0 : 0.0; });
    bind_cluster_metrics();
    if (managed) {
      metrics.bind(handover->stats);
      metrics.leads.bind([this](std::size_t) { return managed->is_leader() ? 1.0 : 0.0; });
    }
    runtime::add_process_metrics(registry);
  }

  void bind_cluster_metrics() {
    metrics.cluster_facts.bind(
        [this](std::size_t cell) { return cluster_fact(*view.facts.read(), cell); });
    metrics.operator_generation.bind([this](std::size_t cell) {
      const auto current = static_cast<std::size_t>(view.facts.read()->operator_generation);
      return current == cell ? 1.0 : 0.0;
    });
    if (!cluster) return;
    metrics.clock_correction.bind(
        [this](std::size_t) { return static_cast<double>(view.clock.correction().count()); });
    process::ClusterConnection* const from = cluster.get();
    metrics.namespace_leases.bind([from](std::size_t) { return from->live_leases(); });
    metrics.rejected_leases.bind([from](std::size_t cell) {
      return from->rejected_leases(static_cast<admission::LeaseRejection>(cell + 1));
    });
    metrics.lease_watch_open.bind([from](std::size_t) { return from->watch_is_open(); });
    metrics.lease_watch_restarts.bind([from](std::size_t) { return from->watch_restarts(); });
    metrics.marker_lease_held.bind([from](std::size_t) { return from->marker_is_held(); });
    metrics.marker_lease_failures.bind([from](std::size_t) { return from->marker_failures(); });
    metrics.marker_lease_contested.bind([from](std::size_t) { return from->marker_conflicts(); });
    metrics.lookup_objects.bind(
        [from](std::size_t cell) { return from->looked_up(static_cast<api::LookupKind>(cell)); });
    metrics.lookup_restarts.bind([from](std::size_t cell) {
      return from->lookup_restarts(static_cast<api::LookupKind>(cell));
    });
  }

  // Bind the addresses first: if a port is taken, that is the only error reported. OpenSSL
  // initialises itself before, while there is memory.
  runtime::Result<void> start() {
    if (auto rehearsed = certs::rehearse_handshake(view.clock); !rehearsed) return rehearsed;
    if (auto usable = prepare_cert_dir(); !usable) return usable;
    if (auto bound = listeners->start(options); !bound) return bound;
    is_listening = true;
    tls.start(control.io());
    policy.start(control.io());
    if (!logs_serving) log_start(runtime::Level::kWarning, "listening, not serving yet");
    if (cluster) cluster->start();
    if (managed) managed->start();
    shutdown.start();
    control.start();
    return {};
  }

  runtime::Result<void> prepare_cert_dir() const {
    if (options.cert_mode != CertMode::kSelfSigned || options.cert_dir.empty()) return {};
    const auto created = certs::make_writable_directory(options.cert_dir);
    if (created) return {};
    return runtime::Error{"--cert-dir: " + created.error().text};
  }

  // Once, when there are both a certificate and the addresses. On the control loop, or before it
  // runs.
  void log_serving() {
    if (!is_listening || logs_serving) return;
    logs_serving = true;
    log_start(runtime::Level::kInfo, "serving");
  }

  void log_start(runtime::Level level, std::string_view message) const {
    const MemoryBound bound = memory_bound(options, threads_of(options));
    std::vector<runtime::Field> fields{
        {"version", runtime::program_version()},
        {"enforcement", kEnforcementNames.at(static_cast<std::size_t>(options.enforcement))},
        {"port", listeners->server.port()},
        {"probe_port", listeners->probes.port()},
        {"metrics_port", listeners->scrapes.port()},
        {"memory_bound_bytes", bound.process},
        {"socket_memory_bound_bytes", bound.sockets}};
    const std::optional<std::string> problem = tls.not_ready();
    if (problem) fields.push_back({"reason", *problem});
    dependencies.log.log(level, message, fields);
  }

  const Options options;
  const WebhookDependencies dependencies;
  const api::Settings settings;
  process::ClusterView view;  // certificates use its clock, too: the API server calls us
  server::ServerCounters counters;
  runtime::MetricsRegistry registry;
  WebhookMetrics metrics;
  process::Probes health;
  aio::ControlLoop control;
  // Read only in mode managed.
  const std::shared_ptr<Handover> handover = std::make_shared<Handover>();
  certs::TlsProvider tls;
  process::PolicyFile policy;
  std::unique_ptr<Listeners> listeners;
  bool is_listening = false;  // this and the next: used by the thread that polls `tls`
  bool logs_serving = false;  // "serving" was logged
  Shutdown shutdown;
  std::unique_ptr<process::ClusterConnection> cluster;  // null: no connection
  std::unique_ptr<ManagedCertificates> managed;         // null: another --cert-mode
  std::atomic<int> exit_code{0};
};

std::optional<std::string> unusable_options(const Options& options) {
  const auto usable = certs::check_tls_options(tls_options(options));
  if (!usable) return "--tls-ciphers: " + usable.error().text;
  if (options.policy.empty()) return std::nullopt;
  if (auto problem = process::policy_file_problem(options.policy)) return "--policy: " + *problem;
  return std::nullopt;
}

namespace {

// Findings are compared by hashes with a secret random key.
void draw_hash_key() {
  std::random_device random;
  const auto word = [&random] {
    constexpr unsigned kHalf = 32;
    return static_cast<std::uint64_t>(random()) << kHalf | random();
  };
  validators::use_hash_key({.first = word(), .second = word()});
}

}  // namespace

Webhook::Webhook(const Options& options, const WebhookDependencies& dependencies)
    : impl_(std::make_unique<Impl>(options, dependencies)) {
  draw_hash_key();
}

Webhook::~Webhook() = default;

runtime::Result<void> Webhook::start() {
  return impl_->start();
}

int Webhook::wait() {
  impl_->shutdown.wait();
  return impl_->exit_code;
}

void Webhook::stop() {
  const Options& options = impl_->options;
  impl_->dependencies.log.log(
      runtime::Level::kInfo, "shutting down",
      {{"serves_on_for_seconds", std::chrono::duration<double>(options.shutdown_delay).count()},
       {"drains_for_seconds", std::chrono::duration<double>(options.drain_timeout).count()}});
  impl_->shutdown.begin();
  const bool has_ended = impl_->listeners->server.stop();
  if (impl_->cluster) impl_->cluster->release();
  if (impl_->managed) impl_->managed->withdraw();
  if (!has_ended) impl_->shutdown.end_process("an event loop never came back from a request");
  impl_->dependencies.log.log(runtime::Level::kInfo, "stopped");
  impl_->shutdown.end_wait();
}

std::uint16_t Webhook::port() const {
  return impl_->listeners->server.port();
}
std::uint16_t Webhook::probe_port() const {
  return impl_->listeners->probes.port();
}
std::uint16_t Webhook::metrics_port() const {
  return impl_->listeners->scrapes.port();
}

}  // namespace dynamo::webhook
