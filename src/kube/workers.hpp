// Runs a controller's passes: a few coroutines that take keys from a queue.
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
#include "kube/object_key.hpp"
#include "kube/work_queue.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::kube {

// How a pass ended. Not an aggregate: g++ 12 destroys a braced aggregate in a coroutine twice.
class PassResult {
 public:
  enum class Kind : std::uint8_t { kDone, kWait, kRetry };

  // Nothing more to do until something changes.
  static PassResult done() { return PassResult(Kind::kDone); }
  // To be looked at again after so long.
  static PassResult wait(std::chrono::milliseconds length) {
    PassResult result(Kind::kWait);
    result.pause = length;
    return result;
  }
  // The same of a pass that has seen to everything but that time: the next one can ask whether
  // anything else has come.
  static PassResult wait_settled(std::chrono::milliseconds length) {
    PassResult result = wait(length);
    result.is_settled = true;
    return result;
  }
  // What was to be done was not, and is as soon as it can be: at once after a conflict, as what was
  // seen was old.
  static PassResult again(std::chrono::milliseconds pause = {}) {
    PassResult result = wait(pause);
    result.is_undone = true;
    return result;
  }
  // It failed: again after the key's back-off, or what the server asks for if that is longer.
  static PassResult retry(std::string text, std::chrono::milliseconds at_least = {}) {
    PassResult result(Kind::kRetry);
    result.error = std::move(text);
    result.pause = at_least;
    return result;
  }

  Kind kind;
  std::chrono::milliseconds pause{0};
  bool is_undone = false;
  bool is_settled = false;
  std::string error = {};

 private:
  explicit PassResult(Kind the_kind) : kind(the_kind) {}
};

struct WorkersOptions {
  WorkersOptions() = default;
  std::size_t workers = 8;
  std::string name = "controller";  // in the log
  // Of one pass, in real time: what takes longer is cancelled and tried again, so that an answer
  // that never comes keeps neither its key nor a worker for ever. Zero: passes see to that
  // themselves.
  std::chrono::milliseconds longest_pass{300'000};
};

// On the loop's thread. An exception that leaves a pass is logged, counted and tried again like any
// failure; other keys go on.
class Workers {
 public:
  using Pass = std::function<aio::Task<PassResult>(ObjectKey)>;

  // Everything given outlives it. `all_keys`, sorted, is asked when keys did not fit into the
  // queue: then all of them are gone through once, as there is room.
  Workers(boost::asio::any_io_executor executor, WorkQueue& queue, Pass pass,
          std::function<std::vector<ObjectKey>()> all_keys, const runtime::Clock& clock,
          runtime::Logger& logger, WorkersOptions options = {});

  // To the queue, and wakes who waits for it.
  void add(const ObjectKey& key, Urgency urgency);

  void start(aio::TaskGroup& tasks);
  // Nothing new begins; passes under way end by themselves, or with their TaskGroup.
  void stop();

  std::uint64_t passes() const { return passes_; }
  std::uint64_t failures() const { return failures_; }
  std::uint64_t defects() const { return defects_; }    // exceptions
  std::uint64_t timeouts() const { return timeouts_; }  // passes that took too long

 private:
  aio::Task<> work();
  aio::Task<> run_pass(ObjectKey key);
  aio::Task<> pass_into(PassResult& result, ObjectKey key);
  void end(const ObjectKey& key, const PassResult& result);
  // Until there may be something to take. False when cancelled.
  aio::Task<bool> wait();
  void resync();

  WorkQueue& queue_;
  const Pass pass_;
  const std::function<std::vector<ObjectKey>()> all_keys_;
  const runtime::Clock& clock_;
  runtime::Logger& logger_;
  const WorkersOptions options_;
  aio::WaitList idle_;
  unsigned in_a_row_ = 0;  // passes since the loop had its turn
  bool is_resyncing_ = false;
  bool resyncs_again_ = false;  // more was refused meanwhile
  ObjectKey resynced_;          // up to this key
  std::uint64_t passes_ = 0;
  std::uint64_t failures_ = 0;
  std::uint64_t defects_ = 0;
  std::uint64_t timeouts_ = 0;
};

}  // namespace dynamo::kube
