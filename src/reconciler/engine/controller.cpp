#include "reconciler/engine/controller.hpp"

#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <utility>

#include "aio/backoff.hpp"

namespace dynamo::reconciler {
namespace {

using kube::ObjectKey;
using kube::ReconcileResult;
using std::chrono::milliseconds;

constexpr unsigned kConflictsAtOnce = 3;
// For requests that the API server refuses because of their content: a quick retry hardly ever
// succeeds.
constexpr milliseconds kRefusedPause{60'000};
// Limit of a server's Retry-After: the longest back-off.
constexpr std::chrono::seconds kLongestAskedPause{300};
constexpr std::size_t kMaxDeferred = 10'000;
constexpr milliseconds kNotLeadingPause{500};
constexpr milliseconds kStalePause{5'000};

kube::WorkersOptions workers_options(const ReconcilerSpec& spec, const ControllerOptions& options) {
  kube::WorkersOptions made;
  made.workers = options.workers;
  // timed() enforces the limit; before it there is at most one call, which has a deadline.
  made.reconcile_timeout = milliseconds(0);
  made.name = std::string(spec.name) + "/" + std::string(spec.resource.plural);
  return made;
}

// With a single namespace, no workers need to be reserved for others.
kube::WorkQueueOptions queue_options(const ReconcilerSpec& spec, const Scope& scope,
                                     const ControllerOptions& options) {
  kube::WorkQueueOptions made = options.queue;
  if (scope.restricted_namespace.empty() && spec.namespace_workers_divisor != 0) {
    made.max_running_per_namespace =
        std::max<std::size_t>(1, options.workers / spec.namespace_workers_divisor);
  }
  return made;
}

ReconcileResult retry_of(const kube::Error& error, milliseconds pause) {
  ReconcileResult result = ReconcileResult::retry(error.text, pause);
  result.http_status = error.http_status;
  return result;
}

// co_spawn() requires results that are default-constructible.
aio::Task<> reconcile_into(ReconcileResult& result, Reconciler& reconciler, ObjectKey key,
                           ReconcileContext& context) {
  result = co_await reconciler.reconcile(std::move(key), context);
}

}  // namespace

// Handler of one resource: adds the keys that its changes affect.
class Controller::Listener final : public kube::StoreHandler {
 public:
  Listener(Controller& owner, const kube::Resource& resource)
      : owner_(owner), resource_(resource) {}
  void changed(const kube::StoreChange& change) override { owner_.changed(resource_, change); }
  void on_synced() override {
    owner_.enqueue_deferred();
    const bool is_wanted = owner_.is_synced() && !owner_.options_.once;
    if (is_wanted) owner_.enqueue_all(kube::Priority::kResync);
  }
  void ready(const ObjectKey& key) override { owner_.add(key); }

 private:
  Controller& owner_;
  const kube::Resource resource_;
};

// Context of one reconcile.
class Controller::Context final : public ReconcileContext {
 public:
  Context(Controller& owner, ObjectKey key)
      : owner_(owner),
        permit_(owner.fence_, std::move(key)),
        executor_({.client = owner.dependencies_.client,
                   .permit = permit_,
                   .tracker = owner.tracker_,
                   .metrics = owner.dependencies_.metrics,
                   .controller = owner.spec_.name,
                   .record = owner.dependencies_.record,
                   .print = owner.dependencies_.print,
                   .call_deadline = owner.options_.call_deadline}) {}

  const CacheReader& cache() const override { return owner_.dependencies_.cache; }

  aio::Task<std::optional<ReconcileResult>> act(std::vector<Action> actions) override {
    const ActionResult result = co_await executor_.act(std::move(actions), owner_.manager());
    if (result.outcome == ActionResult::Outcome::kDone) co_return std::nullopt;
    co_return owner_.ended(permit_.key(), result);
  }

  aio::Task<kube::Result<kube::Object>> read(kube::Resource resource, ObjectKey key) override {
    co_return co_await owner_.dependencies_.client.get(resource, key.namespace_name, key.name);
  }

  aio::Task<kube::Result<kube::List>> list(kube::Resource resource, std::string namespace_name,
                                           kube::ListOptions options) override {
    co_return co_await owner_.dependencies_.client.list(resource, namespace_name, options);
  }

  ReconcileResult failed(const kube::Error& error) override {
    return owner_.failed(permit_.key(), error);
  }
  void enqueue(const ObjectKey& key) override { owner_.add(key); }
  bool is_timer_wakeup() const override { return owner_.queue_.is_timer_wakeup(permit_.key()); }
  MissedChanges take_missed_changes() override { return owner_.fence_.take_missed_changes(); }
  bool can_act() const override { return permit_.can_act(); }
  bool is_dry_run() const override { return static_cast<bool>(owner_.dependencies_.print); }
  const runtime::Clock& clock() const override { return owner_.dependencies_.cluster_state.clock; }
  runtime::Logger& logger() const override { return owner_.dependencies_.logger; }

 private:
  Controller& owner_;
  const Permit permit_;
  ActionExecutor executor_;
};

Controller::Controller(Reconciler& reconciler, const Dependencies& dependencies,
                       const ControllerOptions& options)
    : reconciler_(reconciler),
      dependencies_(dependencies),
      options_(options),
      spec_(reconciler.spec()),
      queue_(queue_options(spec_, dependencies.scope, options), aio::random_seed()),
      workers_(
          dependencies.loop.get_executor(), queue_,
          [this](ObjectKey key) { return reconcile(std::move(key)); }, [this] { return keys(); },
          dependencies.clock, dependencies.logger, workers_options(spec_, options)),
      fence_({.scope = dependencies.scope,
              .cluster_state = dependencies.cluster_state,
              .is_active = dependencies.is_active,
              .can_act = dependencies.can_act}),
      tracker_(spec_, dependencies.cache, dependencies.clock),
      failure_reporter_(dependencies.logger, dependencies.print ? nullptr : dependencies.record) {
  for (const WatchSpec& each : spec_.watches) {
    listeners_.push_back(std::make_unique<Listener>(*this, each.resource));
    dependencies_.cache.at(each.resource).subscribe(*listeners_.back());
  }
}

Controller::~Controller() = default;

std::vector<ObjectKey> Controller::keys() const {
  return std::as_const(dependencies_.cache).at(spec_.resource).keys();
}

bool Controller::is_synced() const {
  return std::ranges::all_of(spec_.watches, [this](const WatchSpec& each) {
    return dependencies_.cache.is_complete(each.resource);
  });
}

void Controller::enqueue_deferred() {
  const bool is_any = has_deferred_all_ || !deferred_.empty();
  if (!is_any || !can_begin()) return;
  for (const ObjectKey& key : std::exchange(deferred_, {})) {
    workers_.add(key, kube::Priority::kResync);
  }
  if (std::exchange(has_deferred_all_, false)) enqueue_all(kube::Priority::kResync);
}

void Controller::add(const ObjectKey& key) {
  if (!fence_.can_start()) {
    fence_.record_missed(key);
    return;
  }
  if (options_.once && !awaited_.contains(key)) return;
  workers_.add(key, is_synced() ? kube::Priority::kChange : kube::Priority::kResync);
}

void Controller::changed(const kube::Resource& of, const kube::StoreChange& change) {
  tracker_.end_creation(of, change);
  if (is_same_resource(of, spec_.resource) && !is_own(change) &&
      reconciler_.should_reconcile(change)) {
    add(change.key);
  }
  std::vector<ObjectKey> keys;
  reconciler_.map_to_requests(of, change, dependencies_.cache, keys);
  for (const ObjectKey& key : keys) add(key);
}

// Whether the key's own reconcile made the change, or may have made it: then the end of the
// reconcile decides.
bool Controller::is_own(const kube::StoreChange& change) {
  if (!spec_.skips_own_changes) return false;
  if (tracker_.match_own_write(change)) return true;
  const bool is_during_reconcile = change.now != nullptr && queue_.is_running(change.key);
  if (!is_during_reconcile || !reconciler_.should_reconcile(change)) return false;
  tracker_.hold(change);
  return true;
}

void Controller::enqueue_held(const ObjectKey& key) {
  if (tracker_.end_reconcile(key)) add(key);
}

void Controller::begin_term() {
  fence_.begin_term();
  has_enqueued_all_ = false;
  enqueue_all_once();
  // Otherwise as soon as reconciles can start, possibly without the resources of
  // optional watches.
  has_deferred_all_ = !has_enqueued_all_;
}

void Controller::enqueue_all_once() {
  if (!has_enqueued_all_ && is_synced()) enqueue_all(kube::Priority::kResync);
}

void Controller::enqueue_all(kube::Priority priority) {
  if (!fence_.can_start()) return;
  if (is_synced()) {
    has_enqueued_all_ = true;
    has_deferred_all_ = false;
  }
  for (const ObjectKey& key : keys()) workers_.add(key, priority);
}

void Controller::enqueue_namespace(const std::string& name, kube::Priority priority) {
  if (!fence_.can_start()) return;
  const kube::Store& store = std::as_const(dependencies_.cache).at(spec_.resource);
  for (const ObjectKey& key : store.keys(store.index_by_namespace(), name)) {
    workers_.add(key, priority);
  }
}

void Controller::await_all() {
  const auto all = keys();
  awaited_ = {all.begin(), all.end()};
  enqueue_all(kube::Priority::kResync);
}

aio::Task<ReconcileResult> Controller::reconcile(ObjectKey key) {
  const std::optional<ReconcileResult> early = co_await prepare(key);
  if (early) {
    // A key that waits for its caches has not been reconciled yet.
    if (early->kind != ReconcileResult::Kind::kRequeue) record_awaited(key, *early);
    enqueue_held(key);
    co_return *early;
  }
  const auto began = dependencies_.clock.monotonic();
  ReconcileResult result = ReconcileResult::retry("");
  std::exception_ptr defect;
  try {
    result = co_await timed(key);
  } catch (...) {
    defect = std::current_exception();
  }
  record_awaited(key, result);
  enqueue_held(key);
  count(key, result, dependencies_.clock.monotonic() - began);
  if (defect) std::rethrow_exception(defect);
  co_return result;
}

// Failures are counted here, because the workers count them only after the reconcile.
void Controller::record_awaited(const ObjectKey& key, const ReconcileResult& result) {
  if (result.is_incomplete || awaited_.erase(key) == 0) return;
  if (result.kind == ReconcileResult::Kind::kRetry) ++awaited_failures_;
}

aio::Task<std::optional<ReconcileResult>> Controller::prepare(ObjectKey key) {
  // The next leader, or this replica when it may act, reconciles all keys.
  if (!fence_.can_start()) co_return ReconcileResult::done();
  if (!can_begin()) co_return defer(key);
  if (!fence_.is_in_scope(key)) {
    fence_.record_missed(key);
    co_return ReconcileResult::done();
  }
  const kube::Readiness ready = tracker_.readiness(key);
  if (ready == kube::Readiness::kBehind) {
    co_return ReconcileResult::requeue_after(tracker_.patience(key));
  }
  if (ready == kube::Readiness::kOverdue) co_return co_await settle(key);
  co_return std::nullopt;
}

// The key was not reconciled, and stays so until reconciles can start.
ReconcileResult Controller::defer(const ObjectKey& key) {
  if (deferred_.size() < kMaxDeferred) {
    deferred_.insert(key);
  } else {
    has_deferred_all_ = true;
  }
  ReconcileResult result = ReconcileResult::done();
  result.is_incomplete = true;
  return result;
}

bool Controller::can_begin() {
  if (is_synced()) {
    unlisted_since_.reset();
    return true;
  }
  const bool lacks_only_optional =
      std::ranges::all_of(spec_.watches, [this](const WatchSpec& each) {
        if (dependencies_.cache.is_complete(each.resource)) return true;
        return each.is_optional && !dependencies_.cache.list_error(each.resource).empty();
      });
  if (!lacks_only_optional) return false;
  const auto now = dependencies_.clock.monotonic();
  if (!unlisted_since_) unlisted_since_ = now;
  return now - *unlisted_since_ >= options_.unlisted_patience;
}

aio::Task<std::optional<ReconcileResult>> Controller::settle(ObjectKey key) {
  switch (tracker_.relist_overdue(key)) {
    case InformerCache::Relist::kAwaited:
      co_return ReconcileResult::requeue_after(kStalePause);
    case InformerCache::Relist::kTimedOut:
      co_return co_await settle_without_list(std::move(key));
    case InformerCache::Relist::kListed:
      break;
  }
  if (tracker_.readiness(key) != kube::Readiness::kReady)
    co_return ReconcileResult::requeue_after(tracker_.patience(key));
  co_return std::nullopt;
}

// If listing fails too, work continues, provided the server's version of the object equals the
// cached one.
aio::Task<std::optional<ReconcileResult>> Controller::settle_without_list(ObjectKey key) {
  const kube::Resource resource = spec_.resource;
  const auto asked = co_await dependencies_.client.get(resource, key.namespace_name, key.name);
  if (!asked && !asked.error().is("NotFound")) co_return failed(key, asked.error());
  const std::string shown(dependencies_.cache.at(resource).version_of(key));
  const std::string now(asked ? asked->resource_version() : std::string_view());
  if (shown != now) co_return ReconcileResult::requeue_after(kStalePause);
  tracker_.settle(key);
  co_return std::nullopt;
}

// Cancels a reconcile, when its time is over or its caller is cancelled.
struct Controller::Budget {
  boost::asio::cancellation_signal cancel;
  bool is_over = false;
};

aio::Task<ReconcileResult> Controller::timed(ObjectKey key) {
  namespace asio = boost::asio;
  const auto executor = co_await asio::this_coro::executor;
  const auto state = co_await asio::this_coro::cancellation_state;
  // The handlers may run after this frame is destroyed.
  const auto budget = std::make_shared<Budget>();
  auto outer = state.slot();
  if (outer.is_connected()) {
    outer.assign([budget](asio::cancellation_type type) { budget->cancel.emit(type); });
  }
  asio::steady_timer timer(executor, options_.reconcile_timeout + spec_.external_call_budget);
  timer.async_wait([weak = std::weak_ptr(budget)](const boost::system::error_code& error) {
    const auto running = weak.lock();
    if (error || !running) return;
    running->is_over = true;
    running->cancel.emit(asio::cancellation_type::terminal);
  });
  Context context(*this, key);
  ReconcileResult result = ReconcileResult::retry("cancelled");
  std::exception_ptr defect;
  try {
    co_await asio::co_spawn(
        executor, reconcile_into(result, reconciler_, key, context),
        asio::bind_cancellation_slot(budget->cancel.slot(), asio::use_awaitable));
  } catch (...) {
    defect = std::current_exception();
  }
  if (outer.is_connected()) outer.clear();
  if (budget->is_over) {
    ++timeouts_;
    error_types_[key] = "timeout";
    co_return ReconcileResult::retry("the reconcile took longer than it may");
  }
  if (defect) std::rethrow_exception(defect);
  co_return result;
}

ReconcileResult Controller::ended(const ObjectKey& key, const ActionResult& result) {
  if (result.outcome == ActionResult::Outcome::kFailed) return failed(key, result.error);
  // If the Lease is renewed late it remains ours, and then nothing else triggers a reconcile of all
  // keys.
  if (dependencies_.is_active()) return ReconcileResult::requeue(kNotLeadingPause);
  return ReconcileResult::done();
}

ReconcileResult Controller::failed(const ObjectKey& key, const kube::Error& error) {
  error_types_[key] = error_type(error);
  const bool was_old = error.is("Conflict") || error.is("NotFound") || error.is("AlreadyExists");
  if (was_old && ++conflicts_[key] <= kConflictsAtOnce) return ReconcileResult::requeue();
  const bool is_refused = error.is("Forbidden") || error.is("Invalid");
  if (is_refused) {
    dependencies_.logger.log(
        runtime::Level::kWarning, "the API server refuses a controller's requests",
        {{"controller", spec_.name}, {"key", to_string(key)}, {"error", error.text}});
    return retry_of(error, kRefusedPause);
  }
  if (is_outage(error)) report_outage(key, error);
  const auto asked_for = error.retry_after.value_or(std::chrono::seconds(0));
  return retry_of(error, std::min(asked_for, kLongestAskedPause));
}

void Controller::report_outage(const ObjectKey& key, const kube::Error& error) {
  const auto object = std::as_const(dependencies_.cache).at(spec_.resource).find(key);
  failure_reporter_.failed(
      {.key = key, .controller = spec_.name, .error_type = error_type(error), .error = error},
      spec_.resource, object ? &*object : nullptr, dependencies_.clock.monotonic());
}

void Controller::count(const ObjectKey& key, const ReconcileResult& result,
                       std::chrono::nanoseconds took) {
  const auto type = error_types_.extract(key);
  std::string_view error = "internal";
  if (!type.empty()) error = type.mapped();
  ReconcileOutcome end = ReconcileOutcome::kSuccess;
  if (result.kind == ReconcileResult::Kind::kRequeue) end = ReconcileOutcome::kRequeue;
  if (result.kind == ReconcileResult::Kind::kRetry) end = ReconcileOutcome::kError;
  if (type.empty() || end == ReconcileOutcome::kError) conflicts_.erase(key);
  if (type.empty() && end == ReconcileOutcome::kSuccess) failure_reporter_.succeeded(key);
  dependencies_.metrics.record_reconcile(spec_.resource.kind, key.namespace_name, end, error, took);
}

}  // namespace dynamo::reconciler
