// One store and one informer for each resource that some controller watches.
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
#include "kube/client.hpp"
#include "kube/informer.hpp"
#include "kube/store.hpp"
#include "reconciler/controller.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::reconciler {

// "GROUP/PLURAL", of the core group "/PLURAL".
std::string name_of(const kube::Resource& resource);

// Resources of several controllers united: indexes of all, left out only what none reads.
Watched united(const Watched& left, const Watched& right);

// On the loop's thread.
class StoreSet final : public Stores {
 public:
  // Of one namespace, or of all when it is empty. `client`, `clock` and `logger` outlive it.
  StoreSet(kube::Client& client, std::string namespace_name, const std::vector<Watched>& watched,
           const runtime::Clock& clock, runtime::Logger& logger);

  const kube::Store& at(const kube::Resource& resource) const override;
  kube::Store& at(const kube::Resource& resource);
  bool serves(const kube::Resource& resource) const override;
  std::string unlisted(const kube::Resource& resource) const override;
  // Everything that there is was listed once and may be decided by, or there is nothing to list.
  bool is_complete(const kube::Resource& resource) const;
  // What is not complete, and why: "GROUP/PLURAL: ERROR; …".
  std::string incomplete() const;
  // Something of the resource that is written may never show: the store holds a selection by
  // fields.
  bool may_hide(const kube::Resource& resource) const;

  // Lists the resource anew, as its watch does not tell what it must, but not twice in a minute.
  // `now` is of the clock.
  enum class Relist : std::uint8_t {
    kListed,   // all of it was asked for within the last minute, and has come
    kAwaited,  // it was asked for a moment ago
    kInVain,   // it does not come
  };
  Relist list_anew(const kube::Resource& resource, std::chrono::steady_clock::time_point now);

  struct Kept {
    Kept(kube::Client& client, const Watched& the_watched, const std::string& namespace_name,
         const runtime::Clock& clock, runtime::Logger& logger);
    bool is_complete() const { return !is_there() || (store.synced() && is_current()); }
    // Not of one that may be missing, and is.
    bool is_there() const { return !is_missing && !is_gone(); }
    // It was there.
    bool is_gone() const;
    // It was at least once as new as the server's state at the begin of the term.
    bool is_current() const;
    // Nobody knows yet, or it is not there.
    bool is_followed() const { return !watched.may_be_missing || is_served; }
    // Why it is not complete; empty: nobody knows yet, or it is only behind.
    const std::string& last_error() const;

    const Watched watched;
    bool is_served = false;   // of one that may be missing: it was found
    bool is_missing = false;  // it was looked for, and was not there
    std::string look_error;   // of looking for it
    // Once served, and then no more: until it is listed or asked for with success.
    std::optional<std::chrono::steady_clock::time_point> gone_at;
    kube::Store store;
    kube::Informer informer;
    std::optional<std::chrono::steady_clock::time_point> relisted_at;  // asked for by list_anew()
    std::optional<std::chrono::steady_clock::time_point> term_from;    // of distrust()
    bool is_checked = false;  // it was held against the server's names and versions since
    std::string check_error;  // of asking for them
  };
  // By name_of().
  const std::map<std::string, std::unique_ptr<Kept>>& all() const { return kept_; }

  void start(aio::TaskGroup& tasks);

  // A new leader decides nothing by what is old: from now on nothing is complete that is not known
  // to be as new as the server was at `term_from`, a monotonic time of the clock. Who leads no more
  // trusts what there is.
  void distrust(std::chrono::steady_clock::time_point term_from);
  void trust();
  // Holds the API server's newest list of names and versions against each store that is not
  // complete, and tells of each as soon as it is; none waits for another. What stays behind is
  // listed anew. Ends early when it is not wanted any more.
  struct CatchingUp {
    std::function<bool()> is_wanted;
    std::function<void(const kube::Resource&)> caught_up;
  };
  void catch_up(aio::TaskGroup& tasks, const CatchingUp& hooks);

 private:
  Kept& kept(const kube::Resource& resource) const;
  aio::Task<> follow(Kept& kept);
  void looked(Kept& kept, const kube::Result<kube::List>& list);
  aio::Task<> await_complete(Kept& kept, CatchingUp hooks);
  aio::Task<> check(Kept& kept, CatchingUp hooks);
  void refused(Kept& kept, const kube::Error& error);
  aio::Task<kube::Result<kube::List>> names_on_server(const Kept& kept);
  void tell_behind(const Kept& kept);

  kube::Client& client_;
  const runtime::Clock& clock_;
  runtime::Logger& logger_;
  const std::string namespace_name_;
  std::map<std::string, std::unique_ptr<Kept>> kept_;
};

// Whether the store lacks something of the list, or has something that the list shows to be gone.
bool is_behind(const kube::Store& store, const kube::List& list);

}  // namespace dynamo::reconciler
