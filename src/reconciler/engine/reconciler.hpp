// The interface between the manager and its reconcilers.
//
// A reconciler works on keys, not on events: `reconcile` reads a snapshot of the caches, a pure
// function plans actions, and ReconcileContext::act() executes them. Each one has a folder:
// plan.{hpp,cpp} without I/O, and separate files that observe and act.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aio/task.hpp"
#include "desired/action.hpp"
#include "kube/cache/store.hpp"
#include "kube/client/client.hpp"
#include "kube/controller/workers.hpp"
#include "kube/object/error.hpp"
#include "kube/object/object.hpp"
#include "kube/object/object_key.hpp"
#include "kube/object/resource.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::reconciler {

// Compares without the version.
inline bool is_same_resource(const kube::Resource& left, const kube::Resource& right) {
  return left.plural == right.plural && left.group == right.group;
}

// Describes a resource to watch. All reconcilers share one cache per resource: it has the indexes
// that any of them needs and omits only fields that none of them reads.
struct WatchSpec {
  kube::Resource resource = {};
  kube::StoreOptions options = {};
  std::string label_selector = {};  // used only if all watchers of the resource set the same
  std::string field_selector = {};  // like label_selector
  // The definition may be absent. Then the cache counts as complete and CacheReader::serves()
  // returns false until the definition is installed.
  bool can_be_missing = false;
  // Reconciles of this watcher may start although the resource cannot be listed, once listing has
  // failed for a while. Operations that must not wait for it, such as a deletion, then proceed.
  bool is_optional = false;
};

// The caches of the watched resources. On the loop's thread.
class CacheReader {
 public:
  virtual ~CacheReader() = default;
  // Throws std::logic_error for a resource that the reconciler does not watch.
  virtual const kube::Store& at(const kube::Resource& resource) const = 0;
  // Whether the API server serves the resource; false only for resources with `can_be_missing`.
  virtual bool serves(const kube::Resource& resource) const {
    static_cast<void>(resource);
    return true;
  }
  // Why the resource could not be listed, one line; empty: its cache is complete. Only a reconciler
  // whose watch is optional runs while this is not empty.
  virtual std::string list_error(const kube::Resource& resource) const {
    static_cast<void>(resource);
    return {};
  }
};

// Keys whose objects changed while this replica was not allowed to reconcile them.
struct MissedChanges {
  std::set<kube::ObjectKey> keys = {};
  bool is_of_any_key = false;  // too many to name; `keys` is empty
};

// Context of one reconcile of one key: what it may read and do. Lives as long as the reconcile, on
// the loop's thread.
class ReconcileContext {
 public:
  virtual ~ReconcileContext() = default;

  // All caches are complete, except those of optional watches, and contain the writes of the
  // previous reconcile of this key.
  virtual const CacheReader& cache() const = 0;

  // Executes the actions in order and stops at the first failure. Returns nullopt if all were
  // executed, or printed in a dry run; otherwise the result to return from the reconcile:
  //   const auto ended = co_await context.act(std::move(plan.actions));
  //   if (ended) co_return *ended;
  // Before each action it checks the leadership and sends nothing once that is lost. Events go to
  // the recorder. It does not execute ActionKind::kHttp: the reconciler that plans a call sends it.
  virtual aio::Task<std::optional<kube::ReconcileResult>> act(std::vector<Action> actions) = 0;

  // Reads from the API server, for decisions that must not rely on a possibly stale cache.
  virtual aio::Task<kube::Result<kube::Object>> read(kube::Resource resource,
                                                     kube::ObjectKey key) = 0;

  // Lists from the API server: for data that is too large to cache or rarely needed.
  virtual aio::Task<kube::Result<kube::List>> list(kube::Resource resource,
                                                   std::string namespace_name,
                                                   kube::ListOptions options) = 0;

  // Maps a failed call of the reconciler itself to a result: a conflict is requeued at once, other
  // errors with back-off. Counts the error by cause.
  virtual kube::ReconcileResult failed(const kube::Error& error) = 0;

  // Requests a reconcile of another key, as a change of its object does: for what no watch shows.
  virtual void enqueue(const kube::ObjectKey& key) = 0;

  // Nothing requested this reconcile except the expiry of the wait that the previous one returned
  // with ReconcileResult::requeue_on_timer().
  virtual bool is_timer_wakeup() const { return false; }

  // Returns and clears the changes of all keys that this replica has missed since the previous
  // call, such as those while another replica led. State remembered about these keys is stale. They
  // are recorded from the first call on: before it, a reconciler has remembered nothing.
  virtual MissedChanges take_missed_changes() { return {}; }

  // Still the leader. Check it right before each call to a server other than the API server.
  virtual bool can_act() const = 0;
  // Nothing may be changed: act() only prints, including calls to other servers.
  virtual bool is_dry_run() const = 0;

  // The API server's time, used for timestamps of conditions.
  virtual const runtime::Clock& clock() const = 0;
  virtual runtime::Logger& logger() const = 0;
};

// The facts about a reconciler that the manager and the controller use.
struct ReconcilerSpec {
  // The name used by --controllers, such as "validation". Several reconcilers may share a name, one
  // per kind.
  std::string_view name = {};
  // The resource whose objects are reconciled; its kind is the resource_type in metrics.
  kube::Resource resource = {};
  std::vector<WatchSpec> watches = {};  // includes `resource`
  // The limit of concurrent reconciles per namespace is the number of workers divided by this, at
  // least one; zero: no limit. For reconcilers that wait for servers of users: one namespace must
  // not occupy all workers.
  std::size_t namespace_workers_divisor = 0;
  // Additional time for calls to other servers, on top of the limit of every reconcile.
  std::chrono::milliseconds external_call_budget{0};
  // Writes fields that the Go operator also writes, so it does not run while that operator leads.
  bool conflicts_with_operator = true;
  // The result depends on the policy or on cluster facts: after they change, all keys are
  // reconciled again, rate-limited.
  bool depends_on_policy = false;
  // A reconcile need not be repeated for its own writes to the key's object, if they were based on
  // the version that it observed.
  bool skips_own_changes = false;

  bool is_watching(const kube::Resource& of) const {
    return std::ranges::any_of(
        watches, [&of](const WatchSpec& each) { return is_same_resource(each.resource, of); });
  }
};

// Reconciles the objects of one resource. On the loop's thread; the manager's loop outlives it.
class Reconciler {
 public:
  explicit Reconciler(ReconcilerSpec spec) : spec_(std::move(spec)) {}
  virtual ~Reconciler() = default;

  const ReconcilerSpec& spec() const { return spec_; }

  // Whether a change of an object of `spec().resource` requires a reconcile of its key.
  virtual bool should_reconcile(const kube::StoreChange& change) const {
    static_cast<void>(change);
    return true;
  }
  // Adds the keys (of objects of `spec().resource`) that a change of a watched resource affects.
  // For that resource itself, these are the other keys: should_reconcile() decides about the
  // changed one. Also called before all caches are complete.
  virtual void map_to_requests(const kube::Resource& of, const kube::StoreChange& change,
                               const CacheReader& cache, std::vector<kube::ObjectKey>& keys) const {
    static_cast<void>(of);
    static_cast<void>(change);
    static_cast<void>(cache);
    static_cast<void>(keys);
  }

  // One reconcile. The key's object may no longer exist. An exception is an error of this key. The
  // task is cancelled when its time limit expires.
  virtual aio::Task<kube::ReconcileResult> reconcile(kube::ObjectKey key,
                                                     ReconcileContext& context) = 0;

 private:
  const ReconcilerSpec spec_;
};

}  // namespace dynamo::reconciler
