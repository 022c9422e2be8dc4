// When --once is over: each controller has looked at everything that there was.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reconciler/runner.hpp"
#include "reconciler/store_set.hpp"
#include "runtime/log.hpp"

namespace dynamo::reconciler {

// On the loop's thread.
class Once {
 public:
  using Runners = std::vector<std::unique_ptr<Runner>>;

  // All of them outlive it.
  Once(const Runners& runners, const StoreSet& stores, runtime::Logger& logger)
      : runners_(runners), stores_(stores), logger_(logger) {}

  // From now on its time runs out.
  void begin(std::chrono::steady_clock::time_point now) { began_ = now; }
  bool is_late(std::chrono::steady_clock::time_point now) const;
  // Passes were turned away meanwhile: everything is looked at anew.
  void look_anew() { begun_.clear(); }

  // What has become of it; nothing while something is to be done. `refusal`: why controllers that
  // do what the operator does do not run; empty: they do.
  std::optional<int> exit_code(const std::string& refusal);
  // Tells what it was late for, `missing` before everything else, and answers the exit code.
  int give_up(const std::optional<std::string>& missing) const;

 private:
  void begin_with(Runner& runner);

  const Runners& runners_;
  const StoreSet& stores_;
  runtime::Logger& logger_;
  std::optional<std::chrono::steady_clock::time_point> began_;
  std::set<const Runner*> begun_;
};

// Of what a controller cannot begin without; nothing when all can begin.
std::optional<std::string> not_listed(const Once::Runners& runners, const StoreSet& stores);

}  // namespace dynamo::reconciler
