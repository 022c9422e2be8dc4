// Decides whether the reconciles of a controller may start and act.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "kube/object/object_key.hpp"
#include "reconciler/engine/cluster_state.hpp"
#include "reconciler/engine/reconciler.hpp"
#include "reconciler/engine/scope.hpp"

namespace dynamo::reconciler {

// One per controller: the leadership, the pause and the namespaces. On the loop's thread.
class Fence {
 public:
  static constexpr std::size_t kMaxMissed = 10'000;

  // Every member must outlive the fence.
  struct Dependencies {
    const Scope& scope;
    const ClusterState& cluster_state;
    // We lead, and reconciles may start.
    std::function<bool()> is_active;
    // We lead at this moment.
    std::function<bool()> can_act;
  };

  explicit Fence(Dependencies dependencies) : dependencies_(std::move(dependencies)) {}
  Fence(const Fence&) = delete;
  Fence& operator=(const Fence&) = delete;

  // Starts a leader's term.
  void begin_term() { ++term_; }
  std::uint64_t term() const { return term_; }

  // While paused, no reconcile starts and running ones send nothing.
  void set_paused(bool is_paused) { is_paused_ = is_paused; }
  bool is_paused() const { return is_paused_; }

  // We lead, and the controller is not paused.
  bool can_start() const { return dependencies_.is_active() && !is_paused_; }
  // Whether the key's namespace is ours now. Remembers a namespace that is skipped because of a
  // Lease.
  bool is_in_scope(const kube::ObjectKey& key);
  // Whether a reconcile of the key that started in `term` may send something now.
  bool can_act(const kube::ObjectKey& key, std::uint64_t term);

  // The key's object changed while no reconcile of it may start.
  void record_missed(const kube::ObjectKey& key);
  // See ReconcileContext.
  MissedChanges take_missed_changes();

  // Returns and clears the namespaces that were skipped because of a Lease.
  std::set<std::string> take_leased_namespaces() { return std::exchange(leased_, {}); }

 private:
  const Dependencies dependencies_;
  std::set<std::string> leased_;
  std::optional<MissedChanges> missed_;  // nullopt until the reconciler asks
  std::uint64_t term_ = 0;
  bool is_paused_ = false;
};

// The permission of one reconcile to act. It ends when the controller is paused, when another
// operator takes the namespace, and with the term in which the reconcile started.
class Permit {
 public:
  // `fence` must outlive the permit.
  Permit(Fence& fence, kube::ObjectKey key)
      : fence_(fence), key_(std::move(key)), term_(fence.term()) {}

  const kube::ObjectKey& key() const { return key_; }
  // Check it right before each call.
  bool can_act() const { return fence_.can_act(key_, term_); }

 private:
  Fence& fence_;
  const kube::ObjectKey key_;
  const std::uint64_t term_;
};

}  // namespace dynamo::reconciler
