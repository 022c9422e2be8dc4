// Result of planning one reconcile: ordered actions, and when to reconcile again.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "desired/action.hpp"

namespace dynamo::reconciler {

enum class PlanOutcome : std::uint8_t {
  kDone,     // nothing to wait for; watches report changes
  kWait,     // requeue after `pause` in any case: another object must change first
  kRetry,    // failed; requeue with back-off
  kRefused,  // until the object changes
};

struct Plan {
  std::vector<Action> actions = {};  // in order; the first failure ends the reconcile
  PlanOutcome outcome = PlanOutcome::kDone;
  std::chrono::seconds pause{0};
  std::string why = {};  // reason of an outcome other than kDone, one line
};

// Why an object is not in its desired state.
struct Problem {
  // Determines the reason of the condition; each controller maps it to its own words.
  enum class Kind : std::uint8_t { kTaken, kWaiting, kNotServed, kMissing, kRefused };
  Kind kind = Kind::kRefused;
  std::string message = {};
};

}  // namespace dynamo::reconciler
