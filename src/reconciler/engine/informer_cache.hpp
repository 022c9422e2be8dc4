// One informer and its cache for each resource that any reconciler watches.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aio/task_group.hpp"
#include "kube/cache/informer.hpp"
#include "kube/cache/store.hpp"
#include "kube/client/client.hpp"
#include "reconciler/engine/reconciler.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::reconciler {

// "GROUP/PLURAL"; "/PLURAL" for the core group.
std::string name_of(const kube::Resource& resource);

// Merges two watch specs of one resource: all indexes, and only the fields omitted by both.
WatchSpec merge_specs(const WatchSpec& left, const WatchSpec& right);

// On the loop's thread.
class InformerCache final : public CacheReader {
 public:
  // Watches one namespace, or all if it is empty. `client`, `clock` and `logger` must outlive it.
  InformerCache(kube::Client& client, std::string namespace_name,
                const std::vector<WatchSpec>& specs, const runtime::Clock& clock,
                runtime::Logger& logger);

  const kube::Store& at(const kube::Resource& resource) const override;
  kube::Store& at(const kube::Resource& resource);
  bool serves(const kube::Resource& resource) const override;
  std::string list_error(const kube::Resource& resource) const override;
  // Everything was listed once and is current enough for decisions, or the resource is not served.
  bool is_complete(const kube::Resource& resource) const;
  // The incomplete resources and why: "GROUP/PLURAL: ERROR; ...".
  std::string incomplete() const;
  // The cache can omit an object that we wrote, because it lists with a field selector.
  bool can_hide(const kube::Resource& resource) const;

  // Lists the resource again because its watch missed something, but at most once per minute. `now`
  // is the clock's monotonic time.
  enum class Relist : std::uint8_t {
    kListed,    // a full list was requested within the last minute, and has arrived
    kAwaited,   // it was requested a moment ago
    kTimedOut,  // it was requested, and has not arrived in time
  };
  Relist relist(const kube::Resource& resource, std::chrono::steady_clock::time_point now);

  struct Entry {
    Entry(kube::Client& client, const WatchSpec& the_spec, const std::string& namespace_name,
          const runtime::Clock& clock, runtime::Logger& logger);
    bool is_complete() const { return !is_present() || (store.is_synced() && is_current()); }
    // False for a resource with `can_be_missing` that is absent.
    bool is_present() const { return !is_missing && !is_no_longer_served(); }
    // It was served before, and is not any more.
    bool is_no_longer_served() const;
    // The cache was at least once as new as the server's state at the start of the term.
    bool is_current() const;
    // False until an optional resource is found.
    bool is_watched() const { return !spec.can_be_missing || is_served; }
    // Why it is not complete; empty: unknown yet, or it is only behind.
    const std::string& last_error() const;

    const WatchSpec spec;
    bool is_served = false;    // for `can_be_missing`: it was found
    bool is_missing = false;   // it was looked up, and was absent
    std::string lookup_error;  // error of that lookup
    // When a resource that had been served turned absent; reset once a list or request succeeds.
    std::optional<std::chrono::steady_clock::time_point> unserved_since;
    kube::Store store;
    kube::Informer informer;
    std::optional<std::chrono::steady_clock::time_point> relisted_at;  // requested by relist()
    std::optional<std::chrono::steady_clock::time_point> term_from;    // set by begin_term()
    bool is_checked = false;  // compared with the server's names and versions since then
    std::string check_error;  // error of requesting them
  };
  // By name_of().
  const std::map<std::string, std::unique_ptr<Entry>>& all() const { return entries_; }

  void start(aio::TaskGroup& tasks);

  // A new leader must not decide from stale data: from now on no resource is complete unless it is
  // known to be as new as the server was at `term_from`, a monotonic time of the clock. end_term()
  // ends this when the leadership ends.
  void begin_term(std::chrono::steady_clock::time_point term_from);
  void end_term();
  // Compares each incomplete cache with the API server's current names and versions, and calls
  // `caught_up` for each resource as soon as it is complete, independent of the others. A cache
  // that stays behind is listed again. Ends early once `is_wanted` returns false.
  struct CatchUpHooks {
    std::function<bool()> is_wanted;
    std::function<void(const kube::Resource&)> caught_up;
  };
  void catch_up(aio::TaskGroup& tasks, const CatchUpHooks& hooks);

 private:
  Entry& entry(const kube::Resource& resource) const;
  aio::Task<> follow(Entry& entry);
  void handle_lookup(Entry& entry, const kube::Result<kube::List>& list);
  aio::Task<> await_complete(Entry& entry, CatchUpHooks hooks);
  aio::Task<> check(Entry& entry, CatchUpHooks hooks);
  void record_refusal(Entry& entry, const kube::Error& error);
  aio::Task<kube::Result<kube::List>> names_on_server(const Entry& entry);
  void log_behind(const Entry& entry);

  kube::Client& client_;
  const runtime::Clock& clock_;
  runtime::Logger& logger_;
  const std::string namespace_name_;
  std::map<std::string, std::unique_ptr<Entry>> entries_;
};

// Whether the cache lacks something of the list, or contains objects that the list shows to be
// deleted.
bool is_behind(const kube::Store& store, const kube::List& list);

}  // namespace dynamo::reconciler
