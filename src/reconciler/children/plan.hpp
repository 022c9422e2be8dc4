// What a pass over one object comes to: actions in their order, and when to look again.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "reconciler/action.hpp"

namespace dynamo::reconciler {

enum class Ending : std::uint8_t {
  kDone,     // nothing to wait for: what changes is told by a watch
  kWait,     // look again after `pause`, whatever happens: something must go or come first
  kRetry,    // something failed: look again with back-off
  kRefused,  // until the object changes
};

struct Plan {
  std::vector<Action> actions = {};  // in order; the first that fails ends the pass
  Ending ending = Ending::kDone;
  std::chrono::seconds pause{0};
  std::string why = {};  // of an ending that is not kDone, one line
};

inline constexpr std::string_view kFinalizer = "nvidia.com/finalizer";

// Why an object is not what it asks for.
struct Problem {
  // Of the condition that tells of it, in the words of each controller; see there.
  enum class Kind : std::uint8_t { kTaken, kWaiting, kNotServed, kMissing, kRefused };
  Kind kind = Kind::kRefused;
  std::string message = {};
};

}  // namespace dynamo::reconciler
