#include "reconciler/app/program.hpp"

#include <atomic>
#include <utility>

#include "aio/control_loop.hpp"
#include "process/last_resort.hpp"
#include "process/plain_http.hpp"
#include "process/pod_identity.hpp"
#include "process/policy_file.hpp"
#include "process/probes.hpp"
#include "process/shutdown_signals.hpp"
#include "reconciler/app/manager.hpp"
#include "runtime/metrics.hpp"
#include "runtime/process_metrics.hpp"

namespace dynamo::reconciler {
namespace {

constexpr std::chrono::seconds kGrace{15};
// See ADR 25.
constexpr aio::WakeupBatching kWakeupBatching{.length = std::chrono::milliseconds(5),
                                              .busy = std::chrono::milliseconds(10),
                                              .busy_iterations = 16};

std::chrono::milliseconds milliseconds(std::chrono::nanoseconds duration) {
  return std::chrono::ceil<std::chrono::milliseconds>(duration);
}

}  // namespace

// Members are declared in the order of their dependencies, and destroyed in reverse.
struct Program::Impl {
  struct Listeners {
    explicit Listeners(Impl& program)
        : probes(program.control,
                 [&program](auto path, auto query) { return program.health.answer(path, query); }),
          scrapes(program.control,
                  process::metrics_handler([&program] { return program.registry.serialise(); })) {}

    runtime::Result<void> start(const Options& given) {
      auto bound = probes.start(given.health_probe_bind_address);
      return bound ? scrapes.start(given.metrics_bind_address) : bound;
    }

    process::PlainHttp probes;
    process::PlainHttp scrapes;
  };

  Impl(const Options& given, Dependencies the_dependencies)
      : options(given),
        dependencies(std::move(the_dependencies)),
        metrics(registry),
        control(dependencies.log, kWakeupBatching),
        signal_thread(dependencies.log),
        listeners(std::make_unique<Listeners>(*this)),
        signals(signal_thread, [this](int number) { on_signal(number); }),
        last_resort({.thread = signal_thread,
                     .logger = dependencies.log,
                     .what_is_stuck = [] { return std::string("the reconciler"); },
                     .end_process = dependencies.end_process}),
        manager(std::make_unique<Manager>(
            options, Manager::Dependencies{.loop = control.io(),
                                           .connect = dependencies.connect,
                                           .clock = dependencies.clock,
                                           .logger = dependencies.log,
                                           .metrics = metrics,
                                           .identity = process::new_identity("dynamo-reconciler"),
                                           .pod_namespace = dependencies.pod_namespace,
                                           .own_namespace = dependencies.own_namespace,
                                           .print = options.dry_run ? dependencies.print : nullptr,
                                           .must_end = [this](int code) { must_end(code); }})) {
    runtime::add_process_metrics(registry);
    metrics.log_lines_dropped.bind([this](const auto& emit) {
      emit({}, static_cast<double>(dependencies.log.dropped_lines()));
    });
    health.add("shutdown", [this]() -> std::optional<std::string> {
      if (is_stopping) return "it is being stopped";
      return std::nullopt;
    });
    health.add("cluster", [this] { return manager->not_ready(); });
  }

  ~Impl() { stop(std::chrono::milliseconds(0)); }

  runtime::Result<void> start() {
    if (!options.once) {
      if (auto bound = listeners->start(options); !bound) return bound;
    }
    signal_thread.start();
    manager->start();
    control.start();
    is_started = true;
    return {};
  }

  void on_signal(int number) {
    if (number > 1) last_resort.end("a second signal came");
  }

  void must_end(int code) {
    exit_code = code;
    signals.end();
  }

  void stop(std::chrono::milliseconds drain) {
    if (!std::exchange(is_started, false)) return;
    is_stopping = true;
    last_resort.arm(drain + kGrace);
    manager->stop(drain);
    listeners.reset();
    control.stop();
    manager.reset();
    signal_thread.stop();
  }

  const Options options;
  const Dependencies dependencies;
  runtime::MetricsRegistry registry;
  ReconcilerMetrics metrics;
  process::Probes health;
  aio::ControlLoop control;
  aio::ControlLoop signal_thread;
  std::unique_ptr<Listeners> listeners;
  process::ShutdownSignals signals;
  process::LastResort last_resort;
  std::atomic<int> exit_code{0};
  std::atomic<bool> is_stopping{false};
  bool is_started = false;
  std::unique_ptr<Manager> manager;
};

std::optional<std::string> unusable_options(const Options& options) {
  if (auto problem = process::policy_file_problem(options.policy)) return "--policy: " + *problem;
  return std::nullopt;
}

Program::Program(const Options& options, Dependencies dependencies)
    : impl_(std::make_unique<Impl>(options, std::move(dependencies))) {}

Program::~Program() = default;

runtime::Result<void> Program::start() {
  return impl_->start();
}

int Program::wait() {
  impl_->signals.wait();
  return impl_->exit_code;
}

void Program::stop() {
  impl_->stop(milliseconds(impl_->options.drain_timeout));
}

std::uint16_t Program::probe_port() const {
  return impl_->listeners->probes.port();
}

std::uint16_t Program::metrics_port() const {
  return impl_->listeners->scrapes.port();
}

}  // namespace dynamo::reconciler
