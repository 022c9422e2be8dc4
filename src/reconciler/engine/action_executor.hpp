// Executes planned actions: turns them into API calls, fenced by the leader's Lease.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "aio/task.hpp"
#include "desired/action.hpp"
#include "kube/client/client.hpp"
#include "kube/controller/event_series.hpp"
#include "kube/object/error.hpp"
#include "kube/object/object.hpp"
#include "reconciler/engine/fence.hpp"
#include "reconciler/engine/metrics.hpp"
#include "reconciler/engine/write_tracker.hpp"

namespace dynamo::reconciler {

// Result of executing a list of actions. Not an aggregate: g++ 12 destroys a braced aggregate in a
// coroutine twice.
class ActionResult {
 public:
  enum class Outcome : std::uint8_t {
    kDone,        // all actions were executed
    kFailed,      // `error` is the first failure; act() documents what follows it
    kNotLeading,  // we lost the leadership; the next action was not sent
  };

  ActionResult() = default;
  static ActionResult failed(kube::Error the_error, ActionKind the_kind) {
    ActionResult result;
    result.outcome = Outcome::kFailed;
    result.action_kind = the_kind;
    result.error = std::move(the_error);
    return result;
  }
  static ActionResult not_leading() {
    ActionResult result;
    result.outcome = Outcome::kNotLeading;
    return result;
  }

  Outcome outcome = Outcome::kDone;
  bool changed = true;  // false: the last action did not change the object
  kube::Error error = {};
  ActionKind action_kind = ActionKind::kApply;  // of the failed action
};

// Executes the actions of one reconcile. On the loop's thread.
class ActionExecutor {
 public:
  static constexpr std::chrono::milliseconds kMaxOfCall{4'000};

  // Every member must outlive the executor and its tasks.
  struct Dependencies {
    kube::Client& client;
    const Permit& permit;  // checked right before each call
    WriteTracker& tracker;
    ReconcilerMetrics& metrics;
    std::string_view controller;                     // the name in metrics
    std::function<void(const kube::Event&)> record;  // of the event recorder
    // Dry run: receives the YAML of each action, and nothing is sent. Empty: no dry run.
    std::function<void(const std::string&)> print = {};
    // Limits each call so that it ends before another replica can become leader (call_deadline()).
    std::chrono::milliseconds call_deadline = kMaxOfCall;
  };

  explicit ActionExecutor(Dependencies dependencies);

  // Executes the actions in order up to the first failure; deleting or scaling an absent object
  // succeeds. If the server refuses an apply because of the object's content, applies of the same
  // kind and actions marked `is_independent` still run, so one bad object does not block the
  // others. An apply with `takes_over` costs an additional read, and a write if there are fields to
  // take over. Errors: those of Client, and kConfig for an HttpCall, which this class does not
  // execute, and for a delete without uid. A merge patch of an object that this reconcile has
  // written before goes through WriteTracker::follow_own_writes(). Counts each write, and the first
  // failure.
  aio::Task<ActionResult> act(std::vector<Action> actions, std::string field_manager);

  bool is_dry_run() const { return static_cast<bool>(dependencies_.print); }

 private:
  // Reference parameters point into the actions of act(), which outlives these tasks.
  aio::Task<kube::Result<kube::Object>> send(const Action& action,
                                             const std::string& field_manager);
  aio::Task<kube::Result<kube::Object>> remove(const Delete& action);
  // The write that precedes an apply with `takes_over`; an empty body means there is nothing to
  // take over.
  aio::Task<kube::Result<Action>> taking_over(const Apply& apply, const std::string& field_manager);
  aio::Task<ActionResult> execute(Action& action, const std::string& field_manager);
  aio::Task<ActionResult> execute_all(std::vector<Action>& actions,
                                      const std::string& field_manager);
  aio::Task<ActionResult> take_over_and_execute(Action& action, const std::string& field_manager);
  void count(ActionKind kind, std::string_view result);

  const Dependencies dependencies_;
  kube::Client client_;
};

}  // namespace dynamo::reconciler
