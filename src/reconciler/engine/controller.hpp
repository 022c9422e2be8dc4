// Runs one reconciler: its queue, its workers, its triggers, and the checks around each reconcile.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "aio/task_group.hpp"
#include "kube/client/client.hpp"
#include "kube/controller/event_series.hpp"
#include "kube/controller/work_queue.hpp"
#include "kube/controller/workers.hpp"
#include "reconciler/engine/action_executor.hpp"
#include "reconciler/engine/cluster_state.hpp"
#include "reconciler/engine/failure_reporter.hpp"
#include "reconciler/engine/fence.hpp"
#include "reconciler/engine/informer_cache.hpp"
#include "reconciler/engine/metrics.hpp"
#include "reconciler/engine/reconciler.hpp"
#include "reconciler/engine/scope.hpp"
#include "reconciler/engine/write_tracker.hpp"

namespace dynamo::reconciler {

struct ControllerOptions {
  std::size_t workers = 8;
  std::chrono::milliseconds reconcile_timeout{30'000};  // in real time
  // Changes trigger no reconciles, except for keys that await_all() waits for.
  bool once = false;
  // How long lists must have failed before reconciles start without the resource of an optional
  // watch.
  std::chrono::milliseconds unlisted_patience{10'000};
  kube::WorkQueueOptions queue = {};
  std::chrono::milliseconds call_deadline{4'000};  // per call of an action
};

// On the loop's thread.
class Controller {
 public:
  // Every member must outlive the controller.
  struct Dependencies {
    boost::asio::io_context& loop;
    kube::Client& client;
    InformerCache& cache;
    const Scope& scope;
    const ClusterState& cluster_state;
    ReconcilerMetrics& metrics;
    const runtime::Clock& clock;  // monotonic time
    runtime::Logger& logger;
    // We lead, and reconciles may start.
    std::function<bool()> is_active;
    // We lead at this moment; checked right before each action.
    std::function<bool()> can_act;
    std::function<void(const kube::Event&)> record;
    std::function<void(const std::string&)> print = {};  // dry run only
  };

  Controller(Reconciler& reconciler, const Dependencies& dependencies,
             const ControllerOptions& options);
  ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  void start(aio::TaskGroup& tasks) { workers_.start(tasks); }
  // Starts no further reconciles.
  void stop() { workers_.stop(); }

  // Starts a leader's term: each key is reconciled once in it, as soon as all caches of the
  // reconciler are complete.
  void begin_term();
  void enqueue_all_once();  // at most once per term, when the caches are complete
  // Enqueues all keys, or those of a namespace.
  void enqueue_all(kube::Priority priority);
  void enqueue_namespace(const std::string& name, kube::Priority priority);
  void enqueue(const kube::ObjectKey& key, kube::Priority priority) { workers_.add(key, priority); }
  // Sorted.
  std::vector<kube::ObjectKey> keys() const;

  // See Fence.
  void set_paused(bool is_paused) { fence_.set_paused(is_paused); }
  bool is_paused() const { return fence_.is_paused(); }
  std::set<std::string> take_leased_namespaces() { return fence_.take_leased_namespaces(); }

  // For --once: await_all() enqueues all keys. awaited() counts keys without a result yet, because
  // they were not reconciled or a conflict postponed them. awaited_failures() counts keys that
  // failed.
  void await_all();
  std::size_t awaited() const { return awaited_.size(); }
  std::size_t awaited_failures() const { return awaited_failures_; }

  const Reconciler& reconciler() const { return reconciler_; }
  bool is_synced() const;
  bool is_watching(const kube::Resource& resource) const { return spec_.is_watching(resource); }
  // Enqueues the keys that were deferred until reconciles can start, if they can start now.
  void enqueue_deferred();
  // Reconciles may start: all caches are complete, or the resources of optional watches could
  // not be listed for `unlisted_patience`.
  bool can_begin();

  kube::WorkQueue::Stats stats() const { return queue_.stats(dependencies_.clock.monotonic()); }
  std::uint64_t failures() const { return workers_.failures(); }
  std::uint64_t defects() const { return workers_.defects(); }
  std::uint64_t timeouts() const { return timeouts_; }
  std::string manager() const { return "dynamo-reconciler-" + std::string(spec_.name); }

 private:
  class Listener;
  class Context;
  struct Budget;
  friend class Context;

  aio::Task<kube::ReconcileResult> reconcile(kube::ObjectKey key);
  // Each returns nullopt if the reconciler must run, otherwise the result of this key.
  aio::Task<std::optional<kube::ReconcileResult>> prepare(kube::ObjectKey key);
  // A watch has not delivered our own write for a minute.
  aio::Task<std::optional<kube::ReconcileResult>> settle(kube::ObjectKey key);
  aio::Task<std::optional<kube::ReconcileResult>> settle_without_list(kube::ObjectKey key);
  kube::ReconcileResult defer(const kube::ObjectKey& key);
  aio::Task<kube::ReconcileResult> timed(kube::ObjectKey key);
  kube::ReconcileResult ended(const kube::ObjectKey& key, const ActionResult& result);
  kube::ReconcileResult failed(const kube::ObjectKey& key, const kube::Error& error);
  void report_outage(const kube::ObjectKey& key, const kube::Error& error);
  void record_awaited(const kube::ObjectKey& key, const kube::ReconcileResult& result);
  void count(const kube::ObjectKey& key, const kube::ReconcileResult& result,
             std::chrono::nanoseconds took);
  void changed(const kube::Resource& of, const kube::StoreChange& change);
  bool is_own(const kube::StoreChange& change);
  void enqueue_held(const kube::ObjectKey& key);
  void add(const kube::ObjectKey& key);

  Reconciler& reconciler_;
  const Dependencies dependencies_;
  const ControllerOptions options_;
  const ReconcilerSpec& spec_;  // of `reconciler_`
  kube::WorkQueue queue_;
  kube::Workers workers_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  Fence fence_;
  WriteTracker tracker_;
  std::set<kube::ObjectKey> awaited_;
  std::size_t awaited_failures_ = 0;
  // Consecutive conflicts, for keys whose last reconcile had one.
  std::map<kube::ObjectKey, unsigned> conflicts_;
  // Error type of the reconcile that just failed, for the metric.
  std::map<kube::ObjectKey, std::string> error_types_;
  FailureReporter failure_reporter_;
  std::optional<std::chrono::steady_clock::time_point> unlisted_since_;
  // Keys that arrived before reconciles could start. If they exceed the limit, all keys are
  // reconciled.
  std::set<kube::ObjectKey> deferred_;
  bool has_deferred_all_ = false;
  bool has_enqueued_all_ = false;  // in this term
  std::uint64_t timeouts_ = 0;
};

}  // namespace dynamo::reconciler
