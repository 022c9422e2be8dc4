#include "server/webhook.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "admission/settings.hpp"
#include "certs/client_ca.hpp"
#include "certs/files_source.hpp"
#include "certs/self_signed.hpp"
#include "certs/tls_provider.hpp"
#include "runtime/build_info.hpp"
#include "runtime/cpu_quota.hpp"
#include "runtime/metrics.hpp"
#include "runtime/process_metrics.hpp"
#include "server/admission_handler.hpp"
#include "server/control_loop.hpp"
#include "server/counters.hpp"
#include "server/metrics.hpp"
#include "server/plain_http.hpp"
#include "server/policy_file.hpp"
#include "server/probes.hpp"
#include "server/server.hpp"
#include "server/shutdown_signals.hpp"

namespace dynamo::server {
namespace {

using runtime::Options;

BindAddress bind_address(const runtime::Address& address) {
  return {address.host, address.port};
}

std::chrono::milliseconds milliseconds(std::chrono::nanoseconds duration) {
  return std::chrono::ceil<std::chrono::milliseconds>(duration);
}

api::Settings settings_of(const Options& options) {
  api::Settings settings;
  settings.operator_version = admission::stamped_version(options.operator_version);
  settings.restricted_namespace = options.restricted_namespace;
  if (const auto& account = options.operator_service_account) {
    settings.operator_service_account = {account->service_namespace, account->name};
  }
  return settings;
}

AdmissionOptions admission_options(const Options& options) {
  return {.enforcement = options.enforcement == runtime::Enforcement::kAudit
                             ? admission::Enforcement::kAudit
                             : admission::Enforcement::kDeny,
          .max_json_depth = options.max_json_depth,
          .log_allowed = options.log_allowed};
}

ServerOptions server_options(const Options& options) {
  return {.address = bind_address(options.bind_address),
          .threads = options.threads == 0 ? runtime::usable_cpus() : options.threads,
          .limits = {.max_body_bytes = options.max_body_bytes,
                     .max_connections = options.max_connections,
                     .max_in_flight = options.max_in_flight,
                     .handshake_timeout = milliseconds(options.handshake_timeout),
                     .header_timeout = milliseconds(options.header_timeout),
                     .body_timeout = milliseconds(options.body_timeout),
                     .idle_timeout = milliseconds(options.idle_timeout)},
          .shutdown_delay = milliseconds(options.shutdown_delay),
          .drain_timeout = milliseconds(options.drain_timeout)};
}

std::unique_ptr<certs::Source> certificate_source(const Options& options,
                                                  const WebhookSurroundings& surroundings) {
  if (options.cert_mode == runtime::CertMode::kSelfSigned) {
    certs::SelfSignedOptions self_signed;
    self_signed.ca_directory = options.cert_dir;
    return std::make_unique<certs::SelfSignedSource>(std::move(self_signed), surroundings.clock,
                                                     surroundings.log);
  }
  return std::make_unique<certs::FilesSource>(options.cert_dir, surroundings.clock,
                                              surroundings.log);
}

std::unique_ptr<certs::ClientCa> client_ca(const Options& options,
                                           const WebhookSurroundings& surroundings) {
  if (options.client_ca_file.empty()) return nullptr;
  return std::make_unique<certs::ClientCa>(options.client_ca_file, options.client_allowed_names,
                                           surroundings.clock, surroundings.log);
}

certs::TlsOptions tls_options(const Options& options) {
  return {.min_version = options.tls_min_version == runtime::TlsVersion::k1_3
                             ? certs::TlsVersion::k1_3
                             : certs::TlsVersion::k1_2,
          .ciphers = options.tls_ciphers};
}

}  // namespace

// Declared in the order in which one thing needs another; destroyed in the reverse.
struct Webhook::Impl {
  struct Listeners {
    explicit Listeners(Impl& webhook)
        : server(server_options(webhook.options), webhook.dependencies()),
          probes(webhook.control,
                 [&webhook](auto path, auto query) { return webhook.health.answer(path, query); }),
          scrapes(webhook.control,
                  metrics_handler([&webhook] { return webhook.registry.serialise(); })) {}

    Result<void> start(const Options& given) {
      if (auto bound = server.start(); !bound) return bound;
      auto bound = probes.start(bind_address(given.health_probe_bind_address));
      return bound ? scrapes.start(bind_address(given.metrics_bind_address)) : bound;
    }

    Server server;
    PlainHttp probes;
    PlainHttp scrapes;
  };

  Impl(const Options& given, const WebhookSurroundings& given_surroundings)
      : options(given),
        surroundings(given_surroundings),
        settings(settings_of(given)),
        metrics(registry, metric_rule_ids()),
        control(surroundings.log),
        tls(certificate_source(options, surroundings), client_ca(options, surroundings),
            {.tls = tls_options(options)}, surroundings.clock, surroundings.log),
        policy(options.policy, surroundings.log),
        signals(control, [this] { listeners->server.skip_shutdown_delay(); }),
        listeners(std::make_unique<Listeners>(*this)) {
    bind_metrics();
    health.add("shutdown", [this] { return listeners->server.unready_reason(); });
    health.add("certificate", [this] { return tls.not_ready(); });
  }

  // The listeners end on the running control loop, everything else once it stands still.
  ~Impl() {
    listeners.reset();
    control.stop();
  }

  ServerDependencies dependencies() {
    const AdmissionServices services{.settings = settings,
                                     .facts = facts,
                                     .leases = surroundings.leases,
                                     .metrics = metrics,
                                     .logger = surroundings.log,
                                     .clock = surroundings.clock,
                                     .policy = options.policy.empty() ? nullptr : &policy};
    return {.control = control,
            .tls_context = [this] { return tls.context(); },
            .handlers =
                [services, admission = admission_options(options)] {
                  return std::make_unique<AdmissionHandler>(services, admission);
                },
            .logger = surroundings.log,
            .clock = surroundings.clock,
            .counters = counters};
  }

  void bind_metrics() {
    metrics.bind(counters);
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
        [this](std::size_t) { return static_cast<double>(surroundings.log.dropped_lines()); });
    runtime::add_process_metrics(registry);
  }

  Result<void> start() {
    tls.start(control.io());
    policy.start(control.io());
    if (auto bound = listeners->start(options); !bound) return bound;
    control.start();
    surroundings.log.log(runtime::Level::kInfo, "serving",
                         {{"version", runtime::program_version()},
                          {"port", listeners->server.port()},
                          {"probe_port", listeners->probes.port()},
                          {"metrics_port", listeners->scrapes.port()}});
    return {};
  }

  const Options options;
  const WebhookSurroundings surroundings;
  const api::Settings settings;
  const api::ClusterFacts facts;
  ServerCounters counters;
  runtime::MetricsRegistry registry;
  WebhookMetrics metrics;
  Probes health;
  ControlLoop control;
  certs::TlsProvider tls;
  PolicyFile policy;
  ShutdownSignals signals;
  std::unique_ptr<Listeners> listeners;
};

std::optional<std::string> unusable_options(const Options& options) {
  const auto usable = certs::check_tls_options(tls_options(options));
  if (!usable) return "--tls-ciphers: " + usable.error().text;
  if (options.policy.empty()) return std::nullopt;
  if (auto problem = policy_file_problem(options.policy)) return "--policy: " + *problem;
  return std::nullopt;
}

Webhook::Webhook(const Options& options, const WebhookSurroundings& surroundings)
    : impl_(std::make_unique<Impl>(options, surroundings)) {}

Webhook::~Webhook() = default;

Result<void> Webhook::start() {
  return impl_->start();
}

void Webhook::wait_for_signal() {
  impl_->signals.wait();
}

void Webhook::stop() {
  const Options& options = impl_->options;
  impl_->surroundings.log.log(
      runtime::Level::kInfo, "shutting down",
      {{"serves_on_for_seconds", std::chrono::duration<double>(options.shutdown_delay).count()},
       {"drains_for_seconds", std::chrono::duration<double>(options.drain_timeout).count()}});
  impl_->listeners->server.stop();
  impl_->surroundings.log.log(runtime::Level::kInfo, "stopped");
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

}  // namespace dynamo::server
