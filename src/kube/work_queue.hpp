// Which key a controller looks at next.
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

#include "kube/object_key.hpp"

namespace dynamo::kube {

// Why a key is to be looked at; the first goes first.
enum class Urgency : std::uint8_t { kChange, kWaitOver, kRetry, kFirstList };
inline constexpr std::size_t kUrgencies = 4;

struct WorkQueueOptions {
  std::size_t most_keys = 100'000;
  // Of a row of failures of one key: the first, doubled up to the last, each with up to half of it
  // off by chance.
  std::chrono::milliseconds first_backoff{1'000};
  std::chrono::milliseconds longest_backoff{300'000};
  // Retries of all keys together: so many at once, then one more in each interval. What changed
  // does not wait for it.
  unsigned retry_burst = 100;
  std::chrono::milliseconds retry_interval{100};
  // From the end of one pass of a key to the begin of its next, whatever happens to it.
  std::chrono::milliseconds rest{200};
  // What has waited for so long goes with those that are one step more urgent.
  std::chrono::milliseconds ageing{30'000};
  // How many keys of one namespace run at once. Zero: no limit.
  std::size_t most_running_per_namespace = 0;
};

// A plain structure without locks, clock and timers: of one thread, and of its owner's time, which
// never goes back. Each key is in it once. What is added while it is being worked on is remembered
// and comes again after the end of that pass, so no two passes of a key run at once and no change
// is lost. Among keys of one urgency the namespaces take turns; those of one namespace keep their
// order. Why it is so: docs/adr/0025.
class WorkQueue {
 public:
  using Time = std::chrono::steady_clock::time_point;

  enum class Added : std::uint8_t {
    kNew,      // the key was not there
    kMerged,   // it was: the earlier time and the higher urgency of both count
    kFull,     // not taken; counted, and is_resync_due() will tell
    kStopped,  // not taken
  };
  struct Taken {
    ObjectKey key;
    Urgency urgency = Urgency::kChange;  // as it was added, whatever its age
    unsigned failures = 0;               // in a row, up to now
    std::chrono::nanoseconds waited{0};  // since it was due
  };
  struct Figures {
    std::size_t ready = 0;
    std::size_t waiting = 0;  // for their time
    std::size_t running = 0;
    std::chrono::nanoseconds oldest_ready{0};     // since it was due
    std::chrono::nanoseconds longest_running{0};  // since it was taken
    std::uint64_t adds = 0;                       // that were taken, merged ones included
    std::uint64_t retries = 0;
    std::uint64_t refused = 0;  // kFull
  };

  // `seed` is what back-offs vary by.
  explicit WorkQueue(const WorkQueueOptions& options, std::uint64_t seed);
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // `not_before` is now, or later.
  Added add(const ObjectKey& key, Urgency urgency, Time not_before);

  // The next key, which is running from now on, until one of the four below. Nothing when none is
  // due, and after stop().
  // Keys of a namespace that runs as many as it may are passed over.
  std::optional<Taken> take(Time now);

  // How a pass ended; the key must be running, else nothing happens and false is answered.
  // done: there is nothing more to do, and failures before are forgotten.
  bool done(const ObjectKey& key, Time now);
  // wait: it is to be looked at again then. Failures before are neither forgotten nor added to.
  // `is_settled`: the pass has seen to everything but that time, see is_unasked().
  bool wait(const ObjectKey& key, Time now, Time until, bool is_settled = false);
  // retry: it failed. Looked at again after its back-off, `at_least` of it (as a server's
  // Retry-After asks for), and when all keys' retries allow it; sooner when something changes.
  bool retry(const ObjectKey& key, Time now, std::chrono::milliseconds at_least = {});
  // abandon: its pass was cancelled. As if it had not been taken.
  bool abandon(const ObjectKey& key, Time now);

  // The time at which take() will have something: in the past when it has something now, nothing
  // when all that is left are running keys, and keys that wait for one of them to end.
  std::optional<Time> next_at() const;

  // True once after keys were refused and there is room again: the owner then adds all keys that he
  // knows of, as after a first list, as many at a time as there is room for. So a key that did not
  // fit comes late, and is not lost. Workers do it.
  bool is_resync_due();
  // Keys that wait or run.
  std::size_t most_keys() const { return options_.most_keys; }
  std::size_t size() const { return ready_ + waiting_.size() + running_; }

  // Nothing is taken or added any more; running passes may end.
  void stop() { is_stopped_ = true; }
  bool is_stopped() const { return is_stopped_; }
  bool is_running(const ObjectKey& key) const;
  // It is running only since its settled wait is over: nothing was added since, and nothing failed.
  bool is_unasked(const ObjectKey& key) const;

  Figures figures(Time now) const;

 private:
  struct Item;
  using Items = std::list<Item*>;
  struct Space {
    Items items;
    std::list<Space*>::iterator turn;
  };
  // The ready keys of one urgency.
  struct Lane {
    std::unordered_map<std::string, Space> spaces;
    std::list<Space*> turns;
    Items by_age;
  };
  enum class State : std::uint8_t { kIdle, kWaiting, kReady, kRunning };
  struct Item {
    const ObjectKey* key = nullptr;
    State state = State::kIdle;
    Urgency urgency = Urgency::kChange;
    unsigned failures = 0;
    Time due{};          // kWaiting: when; kReady: since when
    Time rests_until{};  // not taken before
    Time taken_at{};
    bool is_unasked = false;
    // Added meanwhile, when running: comes again.
    bool is_dirty = false;
    Urgency again_urgency = Urgency::kFirstList;
    Time again_at{};
    // Where it stands.
    std::size_t lane = 0;
    Time in_lane_since{};
    Items::iterator in_space;
    Items::iterator in_age;
    std::multimap<Time, Item*>::iterator in_waiting;
  };

  Item* running(const ObjectKey& key);
  void merge(Item& item, Urgency urgency, Time at);
  void queue(Item& item, Urgency urgency, Time at);
  void end_pass(Item& item, Time now);
  void make_ready(Time now);
  void grow_old(Time now);
  bool may_run(const ObjectKey& key) const;
  // The first in turn whose namespace may run one more; end: none.
  std::list<Space*>::const_iterator first_that_may_run(const Lane& lane) const;
  void enter(Item& item, std::size_t lane, Time since);
  void leave(Item& item);
  void forget_rested(Time now);
  std::chrono::milliseconds backoff(Item& item);
  Time next_retry(Time now);

  const WorkQueueOptions options_;
  std::minstd_rand random_;
  std::unordered_map<ObjectKey, Item, ObjectKeyHash> items_;
  std::array<Lane, kUrgencies> lanes_;
  std::multimap<Time, Item*> waiting_;
  // Ended passes, in their order: their keys are kept while they rest.
  std::list<std::pair<Time, ObjectKey>> resting_;
  std::map<Time, std::size_t> taken_times_;  // of running keys, with how many
  // Running keys by namespace, only counted where there is a limit.
  std::unordered_map<std::string, std::size_t> running_in_;
  std::size_t ready_ = 0;
  std::size_t running_ = 0;
  Time retries_from_{};  // the bucket is as full as it would be had it been empty then
  bool was_full_ = false;
  bool is_stopped_ = false;
  std::uint64_t adds_ = 0;
  std::uint64_t retries_ = 0;
  std::uint64_t refused_ = 0;
};

}  // namespace dynamo::kube
