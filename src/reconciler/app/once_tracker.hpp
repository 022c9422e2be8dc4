// Tracks the completion of --once: each controller has reconciled every existing object.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reconciler/engine/controller.hpp"
#include "reconciler/engine/informer_cache.hpp"
#include "runtime/log.hpp"

namespace dynamo::reconciler {

// On the loop's thread.
class OnceTracker {
 public:
  using Controllers = std::vector<std::unique_ptr<Controller>>;

  // All arguments must outlive it.
  OnceTracker(const Controllers& controllers, const InformerCache& cache, runtime::Logger& logger)
      : controllers_(controllers), cache_(cache), logger_(logger) {}

  // Starts the time limit.
  void start(std::chrono::steady_clock::time_point now) { started_at_ = now; }
  bool is_late(std::chrono::steady_clock::time_point now) const;
  // Starts again, because reconciles were rejected in the previous attempt.
  void restart() { started_.clear(); }

  // The exit code, or nullopt while work remains. `refusal`: why the controllers that replace the
  // operator do not run; empty: they run.
  std::optional<int> exit_code(const std::string& refusal);
  // Logs what is unfinished after the time limit, `missing` first if set, and returns the exit
  // code.
  int give_up(const std::optional<std::string>& missing) const;

 private:
  void await_all_of(Controller& controller);

  const Controllers& controllers_;
  const InformerCache& cache_;
  runtime::Logger& logger_;
  std::optional<std::chrono::steady_clock::time_point> started_at_;
  std::set<const Controller*> started_;
};

// Lists the resources that block a controller from starting; nullopt if every controller can start.
std::optional<std::string> not_listed(const OnceTracker::Controllers& controllers,
                                      const InformerCache& cache);

}  // namespace dynamo::reconciler
