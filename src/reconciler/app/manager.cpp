#include "reconciler/app/manager.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "aio/pause.hpp"
#include "aio/task_group.hpp"
#include "cluster/cluster_clock.hpp"
#include "cluster/facts_watch.hpp"
#include "cluster/lease_watch.hpp"
#include "cluster/marker_lease.hpp"
#include "kube/cache/informer.hpp"
#include "kube/controller/event_recorder.hpp"
#include "kube/controller/leader_election.hpp"
#include "kube/object/resource.hpp"
#include "process/policy_file.hpp"
#include "process/shared_settings.hpp"
#include "reconciler/app/once_tracker.hpp"
#include "reconciler/app/operator_watch.hpp"
#include "reconciler/app/reconcilers.hpp"
#include "reconciler/app/resource_counter.hpp"
#include "reconciler/app/settings.hpp"
#include "reconciler/engine/controller.hpp"
#include "reconciler/engine/informer_cache.hpp"
#include "reconciler/engine/metrics.hpp"
#include "reconciler/engine/resources.hpp"
#include "reconciler/request/reconciler.hpp"
#include "runtime/clock.hpp"

namespace dynamo::reconciler {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kTick{500};
constexpr milliseconds kOperatorLook{5'000};
// For changes that cause no event, such as those on some network file systems.
constexpr milliseconds kPolicyInterval{2'000};
// Policy exemptions expire without an event.
constexpr std::chrono::hours kReevaluateAfter{1};
constexpr std::size_t kReevaluatedPerTick = 500;
constexpr milliseconds kRecordInterval{20};
constexpr milliseconds kFirstFacts{5'000};
constexpr milliseconds kLast{5'000};
// Minimum time for pending events during a stop, even if reconciles used up the drain timeout.
constexpr milliseconds kLastWords{3'000};
// With --once: a base value, and an addition per pending event.
constexpr milliseconds kFlushOnce{5'000};
constexpr milliseconds kFlushEach{25};

ControllerOptions controller_options(const Options& options) {
  return {.workers = options.workers,
          .reconcile_timeout = std::chrono::duration_cast<milliseconds>(options.reconcile_timeout),
          .once = options.once,
          .call_deadline = call_deadline(options)};
}

using Controllers = std::vector<std::unique_ptr<Controller>>;

void bind_controllers(runtime::SampledFamily& family, const Controllers& controllers,
                      double (*value)(const Controller&)) {
  family.bind([&controllers, value](const auto& emit) {
    for (const auto& each : controllers) {
      const ReconcilerSpec& spec = each->reconciler().spec();
      emit({std::string(spec.name), std::string(spec.resource.kind)}, value(*each));
    }
  });
}

template <typename Value>
void bind_watches(runtime::SampledFamily& family, const InformerCache& cache,
                  const std::optional<kube::Informer>& leases, Value value) {
  family.bind([&cache, &leases, value](const auto& emit) {
    for (const auto& [name, entry] : cache.all()) {
      if (entry->is_watched()) emit({name}, value(entry->informer));
    }
    if (leases) emit({name_of(kube::kLeases)}, value(*leases));
  });
}

// Binds sampled metrics to the controllers, which provide the values at scrape time. Stores
// references to the arguments, which must outlive all scrapes.
void bind_to_controllers(ReconcilerMetrics& metrics, const Controllers& controllers) {
  bind_controllers(metrics.queue_depth, controllers,
                   [](const Controller& each) { return static_cast<double>(each.stats().ready); });
  bind_controllers(metrics.queue_age, controllers, [](const Controller& each) {
    return std::chrono::duration<double>(each.stats().oldest_ready).count();
  });
  bind_controllers(metrics.queue_retries, controllers, [](const Controller& each) {
    return static_cast<double>(each.stats().retries);
  });
  bind_controllers(metrics.queue_adds, controllers,
                   [](const Controller& each) { return static_cast<double>(each.stats().adds); });
  bind_controllers(metrics.longest_running, controllers, [](const Controller& each) {
    return std::chrono::duration<double>(each.stats().longest_running).count();
  });
  bind_controllers(metrics.defects, controllers,
                   [](const Controller& each) { return static_cast<double>(each.defects()); });
  bind_controllers(metrics.timeouts, controllers,
                   [](const Controller& each) { return static_cast<double>(each.timeouts()); });
  bind_controllers(metrics.refused, controllers,
                   [](const Controller& each) { return each.is_paused() ? 1.0 : 0.0; });
}

// The same for the watches. `leases` is passed separately, because namespace Leases are not in the
// set; it may be empty.
void bind_to_watches(ReconcilerMetrics& metrics, const InformerCache& cache,
                     const std::optional<kube::Informer>& leases, const runtime::Clock& clock) {
  metrics.objects.bind([&cache](const auto& emit) {
    for (const auto& [name, entry] : cache.all()) {
      if (entry->is_watched()) emit({name}, static_cast<double>(entry->store.size()));
    }
  });
  bind_watches(metrics.watch_open, cache, leases,
               [](const kube::Informer& each) { return each.is_watching() ? 1.0 : 0.0; });
  bind_watches(metrics.watch_restarts, cache, leases,
               [](const kube::Informer& each) { return static_cast<double>(each.restarts()); });
  bind_watches(metrics.watch_silence, cache, leases, [&clock](const kube::Informer& each) {
    const auto now = clock.monotonic();
    return std::chrono::duration<double>(now - each.last_contact().value_or(now)).count();
  });
}

}  // namespace

struct Manager::Impl {
  Impl(const Options& given, Dependencies the_dependencies)
      : options(given),
        dependencies(std::move(the_dependencies)),
        cluster_clock(dependencies.clock, dependencies.logger),
        transport(dependencies.connect(dependencies.loop), cluster_clock),
        lease_transport(dependencies.connect(dependencies.loop), cluster_clock),
        client(transport),
        lease_client(lease_transport),
        cluster_state(cluster_clock),
        facts(client, process::configured_facts(options, replaces_operator()), cluster_state.facts,
              dependencies.logger, dependencies.discovery),
        policy(options.policy, dependencies.logger,
               {.refusals = {.with_older = "the policy is invalid; the previous one stays in use",
                             .without_older =
                                 "the policy is invalid; no object is validated until it is fixed"},
                .poll_interval = kPolicyInterval,
                .changed = [this] { use_policy(); }}),
        recorder(dependencies.loop.get_executor(), client, cluster_clock, dependencies.logger,
                 recorder_options(options, dependencies.identity, [this] { return can_act(); })),
        operator_watch(client, operator_lease_namespace(options), options.operator_lease_name,
                       cluster_clock, dependencies.logger),
        scope{.restricted_namespace = options.restricted_namespace,
              .excludes_ephemeral = options.exclude_ephemeral},
        election(
            lease_client,
            election_options(options, dependencies.own_namespace, dependencies.identity),
            dependencies.clock, dependencies.logger, [this] { begin_leading(); },
            [this] { end_leading(); }),
        tasks(dependencies.loop, dependencies.logger),
        event_tasks(dependencies.loop, dependencies.logger),
        election_tasks(dependencies.loop, dependencies.logger) {
    cluster_state.settings = process::settings_of(options);
    cluster_state.istio_gateway = options.virtual_service_gateway;
    if (!options.ingress_host_suffix.empty()) {
      cluster_state.ingress_host_suffix = options.ingress_host_suffix;
    }
    cluster_state.excluded_namespaces = excluded_namespaces(options, dependencies.pod_namespace);
    policy.poll();
    make_controllers();
    follow_leases();
    bind_metrics();
  }

  // --- Setup.

  bool is_dry_run() const { return static_cast<bool>(dependencies.print); }
  bool elects() const { return options.leader_elect && !is_dry_run(); }
  bool can_act() const { return !elects() || election.leads(); }
  bool replaces_operator() const { return options.mode == validation::Mode::kReplacement; }
  // --once ends before a delayed record could be written.
  milliseconds record_interval() const {
    return options.once || is_dry_run() ? milliseconds(0) : kRecordInterval;
  }

  void make_controllers() {
    made = make_reconcilers(options, cluster_state, record_interval());
    if (options.mode == validation::Mode::kCompanion) leave_to_the_operator();
    warn_of_script_image();
    std::vector<Reconciler*> all = dependencies.more;
    for (const auto& each : made) all.push_back(each.get());
    std::vector<WatchSpec> watched;
    for (const Reconciler* const each : all) {
      const auto& more = each->spec().watches;
      watched.insert(watched.end(), more.begin(), more.end());
    }
    cache.emplace(client, options.restricted_namespace, watched, dependencies.clock,
                  dependencies.logger);
    count_resources();
    for (Reconciler* const each : all) {
      controllers.push_back(std::make_unique<Controller>(*each, controller_dependencies(),
                                                         controller_options(options)));
      // Paused until the operator is known not to lead.
      controllers.back()->set_paused(each->spec().conflicts_with_operator);
    }
    if (options.once) once.emplace(controllers, *cache, dependencies.logger);
  }

  // In companion mode exclusive controllers never run: an operator without leader election gives no
  // sign of leading.
  void leave_to_the_operator() {
    std::erase_if(made, [this](const auto& each) {
      if (!each->spec().conflicts_with_operator) return false;
      dependencies.logger.log(
          runtime::Level::kWarning,
          "a controller does not run, as the operator does its work; it runs with "
          "--mode replacement",
          {{"controller", each->spec().name}});
      return true;
    });
  }

  // An image of another project, without a version or digest, would copy every result.
  void warn_of_script_image() {
    const bool runs_requests = std::ranges::any_of(
        made, [](const auto& each) { return each->spec().name == request::kName; });
    if (!runs_requests || !options.profile_copier_image.empty()) return;
    dependencies.logger.log(runtime::Level::kWarning,
                            "profiling Jobs copy their results with bitnami/kubectl:latest; set "
                            "--profile-copier-image to the image of dynamo-reconciler",
                            {{"controller", request::kName}});
  }

  Controller::Dependencies controller_dependencies() {
    return {.loop = dependencies.loop,
            .client = client,
            .cache = *cache,
            .scope = scope,
            .cluster_state = cluster_state,
            .metrics = dependencies.metrics,
            .clock = dependencies.clock,
            .logger = dependencies.logger,
            .is_active = [this] { return is_active; },
            .can_act = [this] { return can_act(); },
            .record = [this](const kube::Event& event) { recorder.record(event); },
            .print = dependencies.print};
  }

  void count_resources() {
    for (const api::KindNames& each : api::kKinds) {
      const auto entry = cache->all().find(name_of(resource_of(each.kind)));
      if (entry == cache->all().end()) continue;
      counters.push_back(std::make_unique<ResourceCounter>(each.kind));
      entry->second->store.subscribe(*counters.back());
    }
  }

  // In companion mode the reconciler takes no namespace Lease.
  void follow_leases() {
    if (options.restricted_namespace.empty()) {
      leases.emplace(dependencies.loop, cluster_state.leases, dependencies.logger,
                     cluster::LeaseWatch::kPace, process::lease_trust(options));
      kube::InformerOptions watched = cluster::lease_informer_options();
      watched.clock = &dependencies.clock;
      lease_informer.emplace(client, kube::kLeases, std::move(watched), *leases,
                             dependencies.logger);
    } else if (replaces_operator() && !is_dry_run()) {
      marker.emplace(dependencies.loop, lease_transport, process::marker_options(options),
                     cluster_clock, dependencies.logger,
                     [this](const cluster::MarkerLeaseLoss&) { end(1); });
    }
  }

  // --- Life cycle.

  void start() {
    tasks.spawn("facts of the cluster", [this] { return facts.run(); });
    if (leases) {
      tasks.spawn("namespace leases", [this] { return lease_informer->run(); });
      tasks.spawn("namespace publication of leases", [this] { return leases->run(); });
    }
    if (marker) election_tasks.spawn("marker lease", [this] { return marker->run(); });
    cache->start(tasks);
    if (!is_dry_run()) recorder.start(event_tasks);
    for (const auto& controller : controllers) controller->start(tasks);
    tasks.spawn("what is due", [this] { return look_again(); });
    if (elects()) {
      election_tasks.spawn("leader election", [this] { return election.run(); });
    } else {
      begin_leading();
    }
  }

  void begin_leading() {
    is_leading = true;
    ++terms;
    tasks.spawn("begin of leading", [this, term = terms] { return take_over(term); });
  }

  void end_leading() {
    is_leading = false;
    is_active = false;
    cache->end_term();
  }

  // No decision is made before the caches are as new as the server was when we started to lead.
  // Controllers of one resource do not wait for another.
  aio::Task<> take_over(std::uint64_t term) {
    const auto began = dependencies.clock.monotonic();
    const auto is_wanted = [this, term] { return term == terms && is_leading && !is_stopping; };
    while (not_ready()) {
      const bool waited = co_await aio::pause(milliseconds(100));
      if (!waited || !is_wanted() || is_late()) co_return;
    }
    co_await wait_for_facts();
    if (!is_wanted() || has_later_definitions()) co_return;
    cache->begin_term(began);
    is_active = true;
    seen_facts = cluster_state.facts.latest();
    if (once) {
      once->restart();
    } else {
      for (const auto& controller : controllers) controller->begin_term();
    }
    InformerCache::CatchUpHooks hooks;
    hooks.is_wanted = is_wanted;
    hooks.caught_up = [this](const kube::Resource& resource) { caught_up(resource); };
    cache->catch_up(tasks, hooks);
  }

  void caught_up(const kube::Resource& resource) {
    for (const auto& controller : controllers) {
      if (!once && controller->is_watching(resource)) controller->enqueue_all_once();
    }
  }

  // Avoids evaluating every object twice at the start. Facts that do not arrive in time are
  // unknown.
  aio::Task<> wait_for_facts() {
    const auto end = std::chrono::steady_clock::now() + kFirstFacts;
    while (lacks_facts(std::chrono::steady_clock::now() >= end)) {
      const bool waited = co_await aio::pause(milliseconds(50));
      if (!waited) co_return;
    }
  }

  bool lacks_facts(bool is_late) const {
    const api::ClusterFacts& known = cluster_state.facts.latest();
    // A replacement must know the served versions before it acts.
    if (replaces_operator() && known.grove_served == api::Fact::kUnknown) return true;
    return !known.kubernetes_minor && !is_late;
  }

  // --- Definitions of later operators, whose objects a replacement does not reconcile.

  bool has_later_definitions() const {
    return replaces_operator() && cluster_state.facts.latest().v1beta1_served == api::Fact::kYes;
  }

  void refuse_later_definitions() {
    is_active = false;
    dependencies.logger.log(
        runtime::Level::kError,
        "--mode replacement requires definitions of the first generation: the API server serves "
        "graphs as v1beta1, and only an operator of the later generation reconciles these; run "
        "that operator, with --mode companion next to it");
    end(1);
  }

  // Prerequisites of all controllers; each controller checks its own watches.
  std::optional<std::string> not_ready() const {
    if (has_later_definitions()) return "graphs must be served as v1alpha1 only";
    if (is_policy_missing()) return "the policy must be readable: " + policy.problem();
    if (lease_informer && !lease_informer->is_synced()) {
      return "the leases of namespaces were not listed yet: " + lease_informer->last_error();
    }
    if (marker && !marker->is_settled()) {
      return "the marker lease is not held yet: " + marker->last_error();
    }
    return std::nullopt;
  }

  aio::Task<> look_again() {
    auto operator_looked = std::chrono::steady_clock::time_point();
    last_reevaluation = dependencies.clock.monotonic();
    if (once) once->start(dependencies.clock.monotonic());
    if (!once || is_policy_missing()) policy.start(dependencies.loop);
    for (;;) {
      if (has_later_definitions()) co_return refuse_later_definitions();
      const auto now = dependencies.clock.monotonic();
      if (any_exclusive() && now - operator_looked >= kOperatorLook) {
        co_await operator_watch.read_lease();
        operator_looked = now;
        mind_operator();
      }
      reevaluate_if_due(now);
      take_up_left_namespaces();
      for (const auto& controller : controllers) controller->enqueue_deferred();
      reevaluate_some();
      if (const auto code = code_of_once()) co_return co_await end_once(*code);
      const bool waited = co_await aio::pause(kTick);
      if (!waited) co_return;
    }
  }

  // --- The operator to be replaced.

  bool any_exclusive() const {
    return std::ranges::any_of(controllers, [](const auto& each) {
      return each->reconciler().spec().conflicts_with_operator;
    });
  }

  void mind_operator() {
    auto why = operator_watch.blocked_reason();
    if (why && is_dry_run()) {
      // A preview may run before the operator is stopped, since it changes nothing.
      if (!std::exchange(has_emitted_preview, true)) {
        dependencies.logger.log(
            runtime::Level::kWarning,
            "the operator that would be replaced leads; these actions would follow "
            "once it stops leading",
            {{"why", *why}});
      }
      why.reset();
    }
    if (why && *why != refusal) {
      dependencies.logger.log(
          runtime::Level::kError,
          "controllers do not run, as the operator that they would replace leads; "
          "stop it, or run as its companion",
          {{"why", *why}});
    }
    if (!why && !refusal.empty()) {
      dependencies.logger.log(runtime::Level::kInfo,
                              "controllers run, as the operator no longer leads");
    }
    refusal = why.value_or("");
    for (const auto& controller : controllers) {
      if (!controller->reconciler().spec().conflicts_with_operator ||
          controller->is_paused() == why.has_value())
        continue;
      controller->set_paused(why.has_value());
      if (!why) controller->enqueue_all(kube::Priority::kResync);
      if (!why && once) once->restart();
    }
  }

  // --- Re-evaluation without a change.

  bool is_policy_missing() const { return !options.policy.empty() && !cluster_state.policy; }

  void use_policy() {
    cluster_state.policy = policy.current();
    // Its first valid policy applies to all objects.
    if (once) policy.stop();
    reevaluate_all();
  }

  void reevaluate_if_due(std::chrono::steady_clock::time_point now) {
    if (!is_active || options.once) return;
    const bool are_facts_new = seen_facts && *seen_facts != cluster_state.facts.latest();
    seen_facts = cluster_state.facts.latest();
    if (!are_facts_new && now - last_reevaluation < kReevaluateAfter) return;
    last_reevaluation = now;
    reevaluate_all();
  }

  void reevaluate_all() {
    to_reevaluate.clear();
    for (const auto& controller : controllers) {
      if (!controller->reconciler().spec().depends_on_policy) continue;
      for (const kube::ObjectKey& key : controller->keys())
        to_reevaluate.emplace_back(controller.get(), key);
    }
  }

  // Rate-limited, with a lower priority than changes.
  void reevaluate_some() {
    if (!is_active) return;
    for (std::size_t i = 0; i < kReevaluatedPerTick && !to_reevaluate.empty(); ++i) {
      const auto& [controller, key] = to_reevaluate.front();
      if (!controller->is_paused()) controller->enqueue(key, kube::Priority::kResync);
      to_reevaluate.pop_front();
    }
  }

  // Leases also expire without a change.
  void take_up_left_namespaces() {
    for (const auto& controller : controllers) left.merge(controller->take_leased_namespaces());
    for (auto at = left.begin(); at != left.end();) {
      const auto coverage =
          scope.coverage(*at, cluster_state.leases.latest(), cluster_clock.wall());
      if (coverage == Coverage::kLeased) {
        ++at;
        continue;
      }
      dependencies.logger.log(runtime::Level::kInfo,
                              "a namespace is reconciled again, as its lease has expired",
                              {{"namespace", *at}});
      for (const auto& controller : controllers) {
        controller->enqueue_namespace(*at, kube::Priority::kTimer);
      }
      at = left.erase(at);
    }
  }

  // --- Once.

  bool is_late() const { return once && once->is_late(dependencies.clock.monotonic()); }

  std::optional<int> code_of_once() {
    if (is_late()) return once->give_up(not_ready());
    // Whether the holder is alive is known only after its lease duration.
    const bool is_decided = refusal.empty() || !operator_watch.is_undecided();
    return once && is_active && is_decided ? once->exit_code(refusal) : std::nullopt;
  }

  aio::Task<> end_once(int code) {
    co_await flush_events(kFlushOnce + recorder.pending() * kFlushEach);
    end(code);
  }

  void end(int code) {
    if (std::exchange(has_ended, true)) return;
    dependencies.must_end(code);
  }

  // --- Shutdown.

  // Runs in a task group of its own, after the other groups have stopped.
  void run_last(std::string name, milliseconds at_most, std::function<aio::Task<>()> body) {
    const auto done = std::make_shared<std::promise<void>>();
    std::future<void> is_done = done->get_future();
    aio::TaskGroup last(dependencies.loop, dependencies.logger);
    last.spawn(std::move(name), [done, body = std::move(body)]() -> aio::Task<> {
      co_await body();
      done->set_value();
    });
    is_done.wait_for(at_most);
    last.stop();
  }

  aio::Task<> drain(milliseconds at_most) {
    is_stopping = true;
    is_active = false;
    policy.stop();
    recorder.hurry();
    for (const auto& controller : controllers) controller->stop();
    const auto end = std::chrono::steady_clock::now() + at_most;
    while (std::chrono::steady_clock::now() < end) {
      const bool runs = std::ranges::any_of(
          controllers, [](const auto& each) { return each->stats().running > 0; });
      if (!runs) co_return;
      const bool waited = co_await aio::pause(milliseconds(20));
      if (!waited) co_return;
    }
  }

  aio::Task<> flush_events(milliseconds at_most) {
    if (!is_dry_run()) co_await recorder.flush(at_most);
  }
  aio::Task<> give_back() {
    if (marker) co_await marker->release();
  }

  void stop(milliseconds at_most) {
    const auto end = std::chrono::steady_clock::now() + at_most;
    run_last("drain", at_most + seconds(1), [this, at_most] { return drain(at_most); });
    tasks.stop();
    // Must finish while we hold the Lease.
    const auto rest = std::chrono::ceil<milliseconds>(end - std::chrono::steady_clock::now());
    const milliseconds to_flush = std::max(rest, kLastWords);
    run_last("last words", to_flush + seconds(1),
             [this, to_flush] { return flush_events(to_flush); });
    event_tasks.stop();
    if (recorder.pending() > 0) {
      dependencies.logger.log(runtime::Level::kWarning,
                              "events could not be emitted before the exit",
                              {{"events", recorder.pending()}});
    }
    election_tasks.stop();
    run_last("leases", kLast, [this] { return give_back(); });
  }

  // --- Metrics.

  void bind_metrics() {
    ReconcilerMetrics& metrics = dependencies.metrics;
    for (runtime::SampledFamily* const family : {&metrics.resources, &metrics.resources_by_state}) {
      family->bind([this](const auto& emit) {
        const auto counts = [this](const std::string& name) {
          return scope.coverage(name, cluster_state.leases.latest(), cluster_clock.wall()) ==
                 Coverage::kCovered;
        };
        for (const auto& each : counters) each->collect(counts, emit);
      });
    }
    bind_to_controllers(metrics, controllers);
    bind_to_watches(metrics, *cache, lease_informer, dependencies.clock);
    metrics.events_dropped.bind(
        [this](const auto& emit) { emit({}, static_cast<double>(recorder.dropped())); });
    metrics.leads.bind([this](const auto& emit) { emit({}, is_leading && can_act() ? 1 : 0); });
    metrics.policy_reload_errors.bind(
        [this](const auto& emit) { emit({}, static_cast<double>(policy.reload_errors())); });
  }

  const Options options;
  const Dependencies dependencies;
  cluster::ClusterClock cluster_clock;
  cluster::ClockSyncTransport transport;
  cluster::ClockSyncTransport lease_transport;  // other calls never delay the Lease
  kube::Client client;
  kube::Client lease_client;
  ClusterState cluster_state;
  cluster::FactsWatch facts;
  process::PolicyFile policy;
  kube::EventRecorder recorder;
  OperatorWatch operator_watch;
  const Scope scope;
  kube::LeaderElection election;
  std::optional<cluster::LeaseWatch> leases;
  std::optional<kube::Informer> lease_informer;
  std::optional<cluster::MarkerLease> marker;
  std::vector<std::unique_ptr<Reconciler>> made;
  std::vector<std::unique_ptr<ResourceCounter>> counters;
  std::optional<InformerCache> cache;
  std::vector<std::unique_ptr<Controller>> controllers;
  std::optional<OnceTracker> once;  // for --once

  bool is_leading = false;
  bool is_active = false;
  bool is_stopping = false;
  bool has_ended = false;
  bool has_emitted_preview = false;
  std::uint64_t terms = 0;
  std::string refusal;  // why exclusive controllers do not run; empty: they do
  std::optional<api::ClusterFacts> seen_facts;
  std::chrono::steady_clock::time_point last_reevaluation{};
  std::deque<std::pair<Controller*, kube::ObjectKey>> to_reevaluate;
  std::set<std::string> left;  // namespaces that were skipped because of a Lease
  aio::TaskGroup tasks;        // task groups are destroyed before all other members
  aio::TaskGroup event_tasks;
  aio::TaskGroup election_tasks;
};

Manager::Manager(const Options& options, Dependencies dependencies)
    : impl_(std::make_unique<Impl>(options, std::move(dependencies))) {}

Manager::~Manager() {
  impl_->tasks.stop();
  impl_->event_tasks.stop();
  impl_->election_tasks.stop();
}

void Manager::start() {
  impl_->start();
}

void Manager::stop(milliseconds drain) {
  impl_->stop(drain);
}

std::optional<std::string> Manager::not_ready() const {
  if (auto why = impl_->not_ready()) return why;
  return not_listed(impl_->controllers, *impl_->cache);
}

bool Manager::leads() const {
  return impl_->is_leading && impl_->can_act();
}

}  // namespace dynamo::reconciler
