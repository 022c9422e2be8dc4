// Runs one controller: its queue, its workers, what wakes it, and what surrounds each of its
// passes.
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
#include "kube/client.hpp"
#include "kube/event_series.hpp"
#include "kube/work_queue.hpp"
#include "kube/workers.hpp"
#include "reconciler/act.hpp"
#include "reconciler/controller.hpp"
#include "reconciler/failure_reporter.hpp"
#include "reconciler/metrics.hpp"
#include "reconciler/scope.hpp"
#include "reconciler/store_set.hpp"
#include "reconciler/world.hpp"

namespace dynamo::reconciler {

struct RunnerOptions {
  std::size_t workers = 8;
  std::chrono::milliseconds pass_budget{30'000};  // in real time
  // Changes are not followed, but of what await_all() waits for: only that makes passes.
  bool once = false;
  // How long lists must have failed before a pass begins without what its controller does without.
  std::chrono::milliseconds unlisted_patience{10'000};
  kube::WorkQueueOptions queue = {};
  std::chrono::milliseconds call_deadline{4'000};  // of each call that an action makes
};

// On the loop's thread.
class Runner {
 public:
  // All of them outlive the runner.
  struct Surroundings {
    boost::asio::io_context& loop;
    kube::Client& client;
    StoreSet& stores;
    const Scope& scope;
    const World& world;
    ReconcilerMetrics& metrics;
    const runtime::Clock& clock;  // monotonic times
    runtime::Logger& logger;
    // We lead, and may begin passes.
    std::function<bool()> is_active;
    // We lead at this moment: asked right before each action.
    std::function<bool()> may_act;
    std::function<void(const kube::Event&)> record;
    std::function<void(const std::string&)> print = {};  // of a dry run
  };

  Runner(Controller& controller, const Surroundings& surroundings, const RunnerOptions& options);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  void start(aio::TaskGroup& tasks) { workers_.start(tasks); }
  // Nothing new begins.
  void stop() { workers_.stop(); }

  // Of a leader: all keys are looked at once in it, as soon as all that the controller stands on is
  // complete.
  void begin_term();
  void look_at_all_once();
  // All keys, or those of a namespace.
  void look_at_all(kube::Urgency urgency);
  void look_at_namespace(const std::string& name, kube::Urgency urgency);
  void look_at(const kube::ObjectKey& key, kube::Urgency urgency) { workers_.add(key, urgency); }
  // Sorted.
  std::vector<kube::ObjectKey> keys() const;

  // Nothing is done by it as long as it is refused.
  void refuse(bool is_refused) { is_refused_ = is_refused; }
  bool is_refused() const { return is_refused_; }

  // Namespaces that were passed over for a lease; forgotten thereby.
  std::set<std::string> take_leased_namespaces() { return std::exchange(leased_, {}); }

  // For --once: looks at all keys; those of which nothing has come since, as they were not looked
  // at, or what was to be done was put off by a conflict; those that failed.
  void await_all();
  std::size_t awaited() const { return awaited_.size(); }
  std::size_t awaited_in_vain() const { return awaited_in_vain_; }

  const Controller& controller() const { return controller_; }
  bool is_synced() const;
  bool stands_on(const kube::Resource& resource) const;
  // Takes up what was turned away as long as passes could not begin, if they can now.
  void take_up_turned_away();
  // Passes begin: it is synced, or what it does without could not be listed for a while.
  bool may_begin();

  kube::WorkQueue::Figures figures() const { return queue_.figures(needs_.clock.monotonic()); }
  std::uint64_t failures() const { return workers_.failures(); }
  std::uint64_t defects() const { return workers_.defects(); }
  std::uint64_t timeouts() const { return timeouts_; }
  std::string manager() const { return "dynamo-reconciler-" + std::string(controller_.name()); }

 private:
  class Listener;
  class Context;
  struct Budget;
  friend class Context;

  aio::Task<kube::PassResult> pass(kube::ObjectKey key);
  // Nothing: the controller is to be asked.
  aio::Task<std::optional<kube::PassResult>> prepare(kube::ObjectKey key);
  aio::Task<std::optional<kube::PassResult>> settle(kube::ObjectKey key);
  aio::Task<std::optional<kube::PassResult>> settle_in_vain(kube::ObjectKey key);
  // Its namespace is ours at this moment. One that is not for a lease is remembered.
  bool covers(const kube::ObjectKey& key);
  kube::PassResult turned_away(const kube::ObjectKey& key);
  std::chrono::milliseconds patience(const kube::ObjectKey& key);
  kube::Readiness readiness(const kube::ObjectKey& key);
  aio::Task<kube::PassResult> timed(kube::ObjectKey key);
  kube::PassResult ended(const kube::ObjectKey& key, const Acted& acted);
  kube::PassResult failed(const kube::ObjectKey& key, const kube::Error& error);
  void report_outage(const kube::ObjectKey& key, const kube::Error& error);
  void note_awaited(const kube::ObjectKey& key, const kube::PassResult& result);
  void count(const kube::ObjectKey& key, const kube::PassResult& result,
             std::chrono::nanoseconds took);
  void wrote(const kube::ObjectKey& key, const Action& action, const kube::Object& object);
  void outdated(const kube::ObjectKey& key, const Action& action);
  bool shows(const kube::Resource& resource) const;
  void changed(const kube::Resource& of, const kube::StoreChange& change);
  bool is_own(const kube::StoreChange& change);
  bool may_make(const kube::ObjectKey& key, const Action& action);
  void note_own(const kube::ObjectKey& key, const Action& action, const kube::Object& object);
  void take_up_held(const kube::ObjectKey& key);
  void add(const kube::ObjectKey& key);

  Controller& controller_;
  const Surroundings needs_;
  const RunnerOptions options_;
  const std::vector<Watched> watched_;
  kube::WorkQueue queue_;
  kube::Workers workers_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  SettledApplies settled_;
  std::set<std::string> leased_;
  std::set<kube::ObjectKey> awaited_;
  std::size_t awaited_in_vain_ = 0;
  // Conflicts in a row, of keys whose last pass met one.
  std::map<kube::ObjectKey, unsigned> conflicts_;
  // Of the pass that has just failed, for the metric; "": it did not say.
  std::map<kube::ObjectKey, std::string> error_types_;
  FailureReporter failure_reporter_;
  // Of a controller that does not look at its own writes: the version that a pass was given for the
  // last one, until the store shows it, and the newest that the store has come to during a pass.
  std::map<kube::ObjectKey, std::string> written_;
  std::map<kube::ObjectKey, std::string> held_;
  // Who has begun to make what no store shows yet, by where it lies.
  struct Maker {
    kube::ObjectKey key;
    std::chrono::steady_clock::time_point until;
  };
  std::map<std::string, Maker> makers_;
  std::optional<std::chrono::steady_clock::time_point> unlisted_since_;
  // Keys that came before passes could begin. Of more than fit all keys are looked at.
  std::set<kube::ObjectKey> turned_away_;
  bool has_turned_all_away_ = false;
  bool has_looked_at_all_ = false;  // in this term
  std::uint64_t terms_ = 0;
  bool is_refused_ = false;
  std::uint64_t timeouts_ = 0;
};

}  // namespace dynamo::reconciler
