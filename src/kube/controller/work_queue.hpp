// Selects the key that a controller reconciles next.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>

#include "kube/object/object_key.hpp"

namespace dynamo::kube {

// Why a key is reconciled, in order of priority.
enum class Priority : std::uint8_t { kChange, kTimer, kRetry, kResync };
inline constexpr std::size_t kPriorities = 4;

struct WorkQueueOptions {
  std::size_t max_keys = 100'000;
  // Back-off of one key after consecutive failures: the first, doubled up to the longest, each
  // reduced by a random part of up to one half.
  std::chrono::milliseconds first_backoff{1'000};
  std::chrono::milliseconds longest_backoff{300'000};
  // Rate limit for the retries of all keys: this burst, then one retry per interval. Changes are
  // not subject to it.
  unsigned retry_burst = 100;
  std::chrono::milliseconds retry_interval{100};
  // Minimum time between the end of one reconcile of a key and the start of its next.
  std::chrono::milliseconds min_interval{200};
  // A key that has waited this long moves up by one priority.
  std::chrono::milliseconds ageing{30'000};
  // Limit of concurrently running keys per namespace. Zero: no limit.
  std::size_t max_running_per_namespace = 0;
};

// Single-threaded, without locks, clock and timers. The caller passes the time, which never goes
// back. The queue contains each key once. A key added while it is running is queued again after
// that reconcile ends, so no two reconciles of a key run concurrently and no change is lost.
// Namespaces of the same priority are served round-robin; keys of one namespace keep their order.
// Rationale: ADR 25.
class WorkQueue {
 public:
  using Time = std::chrono::steady_clock::time_point;

  enum class AddResult : std::uint8_t {
    kNew,      // the key was not in the queue
    kMerged,   // it was: the earlier time and the higher priority of both apply
    kFull,     // not accepted; counted, and is_resync_due() will return true
    kStopped,  // not accepted
  };
  struct WorkItem {
    ObjectKey key;
    Priority priority = Priority::kChange;  // as added, regardless of age
    unsigned failures = 0;                  // consecutive, so far
    std::chrono::nanoseconds waited{0};     // since it was due
  };
  struct Stats {
    std::size_t ready = 0;
    std::size_t waiting = 0;  // for their time
    std::size_t running = 0;
    std::chrono::nanoseconds oldest_ready{0};     // since it was due
    std::chrono::nanoseconds longest_running{0};  // since it was taken
    std::uint64_t adds = 0;                       // accepted, including merged ones
    std::uint64_t retries = 0;
    std::uint64_t refused = 0;  // kFull
  };

  // `seed` randomises the back-offs.
  explicit WorkQueue(const WorkQueueOptions& options, std::uint64_t seed);
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // `not_before` is now or later.
  AddResult add(const ObjectKey& key, Priority priority, Time not_before);

  // The next key. It is running until one of the four functions below ends it. Returns nullopt if
  // no key is due, and after stop(). Skips keys of a namespace that has reached its limit.
  std::optional<WorkItem> take(Time now);

  // The four results of a reconcile. Each returns false and changes nothing if the key is not
  // running.
  // done: finished; the failure count is reset.
  bool done(const ObjectKey& key, Time now);
  // wait: reconcile again at `until`. The failure count does not change. `is_timer_only`: the
  // reconcile has handled everything except that time, see is_timer_wakeup().
  bool wait(const ObjectKey& key, Time now, Time until, bool is_timer_only = false);
  // retry: the reconcile failed. The key is due after its back-off, at least `at_least` (a server's
  // Retry-After), and when the rate limit of retries allows it; earlier if something changes.
  bool retry(const ObjectKey& key, Time now, std::chrono::milliseconds at_least = {});
  // abandon: the reconcile was cancelled. The key is queued as before take().
  bool abandon(const ObjectKey& key, Time now);

  // The time at which take() will return a key: in the past if one is due, nullopt if all remaining
  // keys are running or wait for a running one.
  std::optional<Time> next_at() const;

  // True once after keys were refused and there is room again. The owner then adds all known keys
  // as after a first list, as many at a time as fit. A refused key is thus delayed but not lost.
  // Workers implements this.
  bool is_resync_due();
  // size(): keys that wait or run.
  std::size_t max_keys() const { return options_.max_keys; }
  std::size_t size() const { return ready_ + waiting_.size() + running_; }

  // take() and add() do nothing from now on; running reconciles may end.
  void stop() { is_stopped_ = true; }
  bool is_stopped() const { return is_stopped_; }
  bool is_running(const ObjectKey& key) const;
  // The key is running only because its settled wait is over: no add and no failure since then.
  bool is_timer_wakeup(const ObjectKey& key) const;

  Stats stats(Time now) const;

 private:
  struct Item;
  using Items = std::list<Item*>;
  struct NamespaceQueue {
    Items items;
    std::list<NamespaceQueue*>::iterator turn;
  };
  // The ready keys of one priority.
  struct Lane {
    std::unordered_map<std::string, NamespaceQueue> by_namespace;
    std::list<NamespaceQueue*> round_robin;
    Items by_age;
  };
  enum class State : std::uint8_t { kIdle, kWaiting, kReady, kRunning };
  struct Item {
    const ObjectKey* key = nullptr;
    State state = State::kIdle;
    Priority priority = Priority::kChange;
    unsigned failures = 0;
    Time due{};             // kWaiting: the due time; kReady: since when it is due
    Time earliest_start{};  // not taken before
    Time taken_at{};
    bool is_timer_wakeup = false;
    // Added while running: it is queued again.
    bool is_dirty = false;
    Priority requeue_priority = Priority::kResync;
    Time requeue_at{};
    // Position in the lanes.
    std::size_t lane = 0;
    Time in_lane_since{};
    Items::iterator in_namespace;
    Items::iterator in_age;
    std::multimap<Time, Item*>::iterator in_waiting;
  };

  Item* running(const ObjectKey& key);
  void merge(Item& item, Priority priority, Time at);
  void queue(Item& item, Priority priority, Time at);
  void end_reconcile(Item& item, Time now);
  void make_ready(Time now);
  void promote_aged(Time now);
  bool can_run(const ObjectKey& key) const;
  // The next namespace, round-robin, that is below its limit; end() if there is none.
  std::list<NamespaceQueue*>::const_iterator next_runnable(const Lane& lane) const;
  void enter(Item& item, std::size_t lane, Time since);
  void leave(Item& item);
  void forget_cooled_down(Time now);
  std::chrono::milliseconds backoff(Item& item);
  Time next_retry(Time now);

  const WorkQueueOptions options_;
  std::minstd_rand random_;
  std::unordered_map<ObjectKey, Item, ObjectKeyHash> items_;
  std::array<Lane, kPriorities> lanes_;
  std::multimap<Time, Item*> waiting_;
  // Ended reconciles in order. Their keys are kept until the minimum pause is over.
  std::list<std::pair<Time, ObjectKey>> cooling_down_;
  std::map<Time, std::size_t> taken_times_;  // of running keys, with their number
  // Running keys by namespace; counted only if there is a limit.
  std::unordered_map<std::string, std::size_t> running_in_;
  std::size_t ready_ = 0;
  std::size_t running_ = 0;
  Time retries_from_{};  // token bucket: it refills as if it had been empty then
  bool was_full_ = false;
  bool is_stopped_ = false;
  std::uint64_t adds_ = 0;
  std::uint64_t retries_ = 0;
  std::uint64_t refused_ = 0;
};

}  // namespace dynamo::kube
