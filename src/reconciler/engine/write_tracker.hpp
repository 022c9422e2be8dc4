// Tracks a controller's writes until its caches show them.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>

#include "desired/action.hpp"
#include "kube/cache/store.hpp"
#include "kube/object/object.hpp"
#include "kube/object/object_key.hpp"
#include "reconciler/engine/informer_cache.hpp"
#include "reconciler/engine/reconciler.hpp"
#include "runtime/clock.hpp"

namespace dynamo::reconciler {

// Objects written during one reconcile: the resourceVersion before and after our own writes. An
// entry exists only if our first write was based on the observed version, so no foreign write lies
// in between.
class OwnWrites {
 public:
  // Updates a merge patch that is based on the observed version to the version after our own write.
  void follow(MergePatch& patch) const;
  void note(const Target& target, const kube::Object& answer);

 private:
  struct VersionChange {
    std::string from;
    std::string to;
  };

  std::map<std::string, VersionChange> changes_;  // by the object's path
};

// One per controller, kept across reconciles; on the loop's thread. `key` is the key whose
// reconcile writes, which need not be the object that is written. Unshown writes are entries in
// the WriteLedger of the written resource's store. All controllers share it: a key also waits for
// what other controllers wrote for the same key.
class WriteTracker {
 public:
  // All must outlive the tracker.
  WriteTracker(const ReconcilerSpec& spec, InformerCache& cache, const runtime::Clock& clock);
  WriteTracker(const WriteTracker&) = delete;
  WriteTracker& operator=(const WriteTracker&) = delete;

  // --- Before a reconcile.
  // Whether the watched resources' caches show the key's writes; the worst of them.
  kube::Readiness readiness(const kube::ObjectKey& key);
  // Time until the first of the late caches is overdue.
  std::chrono::milliseconds patience(const kube::ObjectKey& key);
  // Lists the resources again whose caches are overdue. A list that has arrived settles the key's
  // writes to its resource. Returns kAwaited if any list is awaited, otherwise kTimedOut if any
  // did not arrive in time.
  InformerCache::Relist relist_overdue(const kube::ObjectKey& key);
  // Forgets the key's writes, because the server's state is known to be the cached one.
  void settle(const kube::ObjectKey& key);

  // --- During a reconcile, for the executor.
  // An apply that did not change its object. A mutating webhook may keep rewriting an applied
  // field, and the generation of Services and Roles does not show it. Such an apply is not repeated
  // until its body or the object changes.
  bool is_no_op(const Apply& apply) const;
  // Call before an apply that creates an object. Returns false if the object exists, or another
  // reconcile is already creating it. All reconciles of a controller share one field manager, so
  // the API server would let the second one overwrite the object of the first.
  bool reserve_creation(const kube::ObjectKey& key, const Target& target);
  // Ends the reservation of an object that the cache now shows: after its deletion, any reconcile
  // may create it again.
  void end_creation(const kube::Resource& of, const kube::StoreChange& change);
  // See OwnWrites::follow().
  void follow_own_writes(const kube::ObjectKey& key, MergePatch& patch) const;
  // Records a sent action, which has a target, with the server's answer; an empty object for a
  // delete. Returns whether it changed the object; false only for an apply.
  bool record_write(const kube::ObjectKey& key, const Action& action, const kube::Object& answer);
  // The server refused a write to the target with a conflict.
  void record_conflict(const kube::ObjectKey& key, const Target& target);

  // --- Changes by the key's own reconcile (ReconcilerSpec::skips_own_changes).
  // Whether the cache now shows the version that our last write to the key's object returned.
  bool match_own_write(const kube::StoreChange& change);
  // Keeps a version that the cache shows during the key's reconcile, until end_reconcile(). It may
  // be our own: the cache may show it before the server's answer arrives.
  void hold(const kube::StoreChange& change);
  // Returns whether the cache has shown another version than our own during the reconcile.
  bool end_reconcile(const kube::ObjectKey& key);

 private:
  struct NoOpApply {
    std::string version;
    std::size_t body_hash = 0;
  };
  // The key whose reconcile creates an object that no cache shows yet.
  struct PendingCreate {
    kube::ObjectKey key;
    std::chrono::steady_clock::time_point until;
  };

  void record_own_version(const kube::ObjectKey& key, const Target& target,
                          const kube::Object& answer);
  void await_write(const kube::ObjectKey& key, const Action& action, const Target& target,
                   const kube::Object& answer);
  bool record_apply(const Apply& apply, const kube::Object& answer);
  // Whether the cache of this controller will show a write to the resource.
  bool shows(const kube::Resource& resource) const;

  const ReconcilerSpec& spec_;
  InformerCache& cache_;
  const runtime::Clock& clock_;
  std::map<std::string, NoOpApply> no_op_applies_;        // by the object's path with subresource
  std::map<std::string, PendingCreate> pending_creates_;  // by the object's path
  std::map<kube::ObjectKey, OwnWrites> own_writes_;       // of the running reconciles
  // The version returned for the last write to the key's object, until the cache shows it.
  std::map<kube::ObjectKey, std::string> own_versions_;
  // The newest version that the cache showed during the reconcile.
  std::map<kube::ObjectKey, std::string> held_versions_;
};

}  // namespace dynamo::reconciler
