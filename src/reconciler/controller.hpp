// What the manager asks of a controller, and what it gives to one.
//
// A controller looks at keys, never at events: `reconcile` reads a snapshot of the stores, a pure
// plan makes actions of it, and Pass::act() does them. One folder each: plan.{hpp,cpp} without I/O,
// and beside it what observes and acts.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aio/task.hpp"
#include "kube/client.hpp"
#include "kube/error.hpp"
#include "kube/object.hpp"
#include "kube/object_key.hpp"
#include "kube/resource.hpp"
#include "kube/store.hpp"
#include "kube/workers.hpp"
#include "reconciler/action.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::reconciler {

// What a controller wants to see. There is one store per resource for all controllers: it has the
// indexes of all of them, and leaves out of the objects only what none of them reads.
struct Watched {
  kube::Resource resource = {};
  kube::StoreOptions options = {};
  std::string label_selector = {};  // counts when all who watch the resource say the same
  std::string field_selector = {};  // the same
  // Its definition may be missing: then the store counts as complete and Stores::serves() says so,
  // until it is installed.
  bool may_be_missing = false;
};

// The stores of what is watched. On the loop's thread.
class Stores {
 public:
  virtual ~Stores() = default;
  // Asking for what the controller does not watch throws std::logic_error.
  virtual const kube::Store& at(const kube::Resource& resource) const = 0;
  // Whether the API server knows the resource: false only of what may be missing.
  virtual bool serves(const kube::Resource& resource) const {
    static_cast<void>(resource);
    return true;
  }
  // Why the resource could not be listed, one line; empty: its store is complete. Only a controller
  // that does_without() it ever sees another.
  virtual std::string unlisted(const kube::Resource& resource) const {
    static_cast<void>(resource);
    return {};
  }
};

// One pass of one key: what it may see and do. Lives as long as the pass, on the loop's thread.
class Pass {
 public:
  virtual ~Pass() = default;

  // All of them are complete, but for what the controller does without, and show what the pass of
  // this key before wrote.
  virtual const Stores& stores() const = 0;

  // Does the actions in their order and stops at the first that fails. Nothing: all were done, or
  // printed in a dry run; else how the pass must end:
  //   const auto ended = co_await pass.act(std::move(plan.actions));
  //   if (ended) co_return *ended;
  // Before each action it is asked whether we still lead; when not, nothing is sent any more.
  // Events are handed to the recorder. Verb::kHttp is not done here: whoever plans a call makes it.
  virtual aio::Task<std::optional<kube::PassResult>> act(std::vector<Action> actions) = 0;

  // What the API server says now, for what must not be decided by a store that may be behind.
  virtual aio::Task<kube::Result<kube::Object>> read(kube::Resource resource,
                                                     kube::ObjectKey key) = 0;

  // The same of many: what is too much to be held in a store, or asked for too seldom.
  virtual aio::Task<kube::Result<kube::List>> list(kube::Resource resource,
                                                   std::string namespace_name,
                                                   kube::ListOptions options) = 0;

  // How a pass ends after a call of the controller's own failed: a conflict is looked at again at
  // once, everything else is tried again later. Counted by its cause.
  virtual kube::PassResult failed(const kube::Error& error) = 0;

  // Nothing has asked for this pass: only the time is over that the one before waited for, by
  // PassResult::wait_settled().
  virtual bool is_unasked() const { return false; }

  // Still the leader. To be asked right before each call elsewhere than to the API server.
  virtual bool may_act() const = 0;
  // Nothing may be done; act() prints. Calls elsewhere are printed by act(), too.
  virtual bool is_dry_run() const = 0;

  // By the API server's time: what conditions are stamped with.
  virtual const runtime::Clock& clock() const = 0;
  virtual runtime::Logger& logger() const = 0;
};

// On the loop's thread; outlived by the manager's loop.
class Controller {
 public:
  virtual ~Controller() = default;

  // As --controllers calls it: "validation". Several controllers may share a name, one per kind.
  virtual std::string_view name() const = 0;
  // The resource whose objects' keys are worked on; its kind is the metrics' resource_type.
  virtual const kube::Resource& resource() const = 0;
  // resource() is among them.
  virtual std::vector<Watched> watches() const = 0;

  // How many keys of one namespace are reconciled at once, of `workers` in all; zero: no limit. For
  // controllers that wait for servers of users: those of one namespace must leave workers to the
  // others.
  virtual std::size_t most_per_namespace(std::size_t workers) const {
    static_cast<void>(workers);
    return 0;
  }

  // Whether a change of an object of resource() needs a pass: its key is looked at then.
  virtual bool concerns(const kube::StoreChange& change) const {
    static_cast<void>(change);
    return true;
  }
  // The keys (of objects of resource()) that a change of another watched resource is about. Called
  // before all stores are complete, too.
  virtual void keys_for(const kube::Resource& of, const kube::StoreChange& change,
                        const Stores& stores, std::vector<kube::ObjectKey>& keys) const {
    static_cast<void>(of);
    static_cast<void>(change);
    static_cast<void>(stores);
    static_cast<void>(keys);
  }

  // Passes begin although the resource cannot be listed, once that has failed for a while: what
  // must not wait for it, as the end of an object, goes on.
  virtual bool does_without(const kube::Resource& of) const {
    static_cast<void>(of);
    return false;
  }

  // What calls elsewhere may take of a pass, beside what every pass may take.
  virtual std::chrono::milliseconds calls_budget() const { return {}; }
  // Writes what the Go operator writes: does not run where that one leads.
  virtual bool is_exclusive() const { return true; }
  // What it does depends on the policy or on facts of the cluster: after a change of these all keys
  // are looked at again, paced.
  virtual bool depends_on_policy() const { return false; }

  // The other keys of resource() that a change of one of its objects is about. Called as keys_for
  // is.
  virtual void neighbours(const kube::StoreChange& change, const Stores& stores,
                          std::vector<kube::ObjectKey>& keys) const {
    static_cast<void>(change);
    static_cast<void>(stores);
    static_cast<void>(keys);
  }

  // False: a pass need not see what its own writes have made of the key's object, where they were
  // sent with the version that it saw.
  virtual bool looks_at_own_writes() const { return true; }
  // The object of `key` has changed while its passes were not ours to make: what is remembered of
  // it is old.
  virtual void missed(const kube::ObjectKey& key) { static_cast<void>(key); }

  // One pass. The key may be of an object that is gone. What it throws is an error of this key. It
  // is cancelled when its time is over.
  virtual aio::Task<kube::PassResult> reconcile(kube::ObjectKey key, Pass& pass) = 0;
};

}  // namespace dynamo::reconciler
