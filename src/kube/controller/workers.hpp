// Runs a controller's reconciles: a few coroutines that take keys from a queue.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "aio/task.hpp"
#include "aio/task_group.hpp"
#include "aio/wait_list.hpp"
#include "kube/controller/work_queue.hpp"
#include "kube/object/object_key.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::kube {

// The result of a reconcile. Not an aggregate: g++ 12 destroys a braced aggregate in a coroutine
// twice.
class ReconcileResult {
 public:
  enum class Kind : std::uint8_t { kDone, kRequeue, kRetry };

  // Finished until something changes.
  static ReconcileResult done() { return ReconcileResult(Kind::kDone); }
  // Reconcile again after this time.
  static ReconcileResult requeue_after(std::chrono::milliseconds length) {
    ReconcileResult result(Kind::kRequeue);
    result.pause = length;
    return result;
  }
  // Like requeue_after(), but lets the next reconcile detect that only the timer fired.
  static ReconcileResult requeue_on_timer(std::chrono::milliseconds length) {
    ReconcileResult result = requeue_after(length);
    result.is_timer_only = true;
    return result;
  }
  // The work was not done and is retried as soon as possible: immediately after a conflict, because
  // the cached state was old.
  static ReconcileResult requeue(std::chrono::milliseconds pause = {}) {
    ReconcileResult result = requeue_after(pause);
    result.is_incomplete = true;
    return result;
  }
  // The reconcile failed. It is retried after the key's back-off, or after the server's Retry-After
  // if that is longer.
  static ReconcileResult retry(std::string text, std::chrono::milliseconds at_least = {}) {
    ReconcileResult result(Kind::kRetry);
    result.error = std::move(text);
    result.pause = at_least;
    return result;
  }

  Kind kind;
  std::chrono::milliseconds pause{0};
  bool is_incomplete = false;
  bool is_timer_only = false;
  std::string error = {};
  // The answer of the API server to the call that failed; 0: no answer, or no such call.
  int http_status = 0;

 private:
  explicit ReconcileResult(Kind the_kind) : kind(the_kind) {}
};

struct WorkersOptions {
  WorkersOptions() = default;
  std::size_t workers = 8;
  std::string name = "controller";  // in the log
  // Limit for one reconcile, in real time. A longer reconcile is cancelled and retried, so that a
  // missing answer does not block its key and a worker forever. Zero: reconciles limit themselves.
  std::chrono::milliseconds reconcile_timeout{300'000};
};

// Used on the loop's thread. An exception from a reconcile is logged, counted and retried like any
// failure; other keys continue.
class Workers {
 public:
  using Reconcile = std::function<aio::Task<ReconcileResult>(ObjectKey)>;

  // Everything given outlives it. `all_keys`, sorted, is called when the queue has refused keys:
  // all of them are then queued once, as room becomes available.
  Workers(boost::asio::any_io_executor executor, WorkQueue& queue, Reconcile reconcile,
          std::function<std::vector<ObjectKey>()> all_keys, const runtime::Clock& clock,
          runtime::Logger& logger, WorkersOptions options = {});

  // Adds the key to the queue and wakes a waiting worker.
  void add(const ObjectKey& key, Priority priority);

  void start(aio::TaskGroup& tasks);
  // No new reconcile starts. Running reconciles end by themselves, or with their TaskGroup.
  void stop();

  std::uint64_t reconciles() const { return reconciles_; }
  std::uint64_t failures() const { return failures_; }
  std::uint64_t defects() const { return defects_; }    // exceptions
  std::uint64_t timeouts() const { return timeouts_; }  // reconciles that took too long

 private:
  aio::Task<> work();
  aio::Task<> run_reconcile(ObjectKey key);
  aio::Task<> reconcile_into(ReconcileResult& result, ObjectKey key);
  void end(const ObjectKey& key, const ReconcileResult& result);
  // Waits until a key may be due. False if cancelled.
  aio::Task<bool> wait();
  void resync();

  WorkQueue& queue_;
  const Reconcile reconcile_;
  const std::function<std::vector<ObjectKey>()> all_keys_;
  const runtime::Clock& clock_;
  runtime::Logger& logger_;
  const WorkersOptions options_;
  aio::WaitList idle_;
  unsigned in_a_row_ = 0;  // reconciles since the last yield to the loop
  bool is_resyncing_ = false;
  bool resyncs_again_ = false;  // the queue refused more keys during the resync
  ObjectKey resynced_;          // the last key that was queued
  std::uint64_t reconciles_ = 0;
  std::uint64_t failures_ = 0;
  std::uint64_t defects_ = 0;
  std::uint64_t timeouts_ = 0;
};

}  // namespace dynamo::kube
