// Counts how far values are walked, and long texts, in debug builds only: what lets a test say that
// twice the input costs twice the steps, whatever the machine.
#pragma once

#include <cstdint>

namespace dynamo::json {

#ifdef NDEBUG
inline constexpr bool kCountsSteps = false;
inline void count_steps(std::uint64_t) {}
inline std::uint64_t counted_steps() {
  return 0;
}
#else
inline constexpr bool kCountsSteps = true;
// Of this thread, since it began; only differences say something.
inline thread_local constinit std::uint64_t steps_of_thread = 0;
inline void count_steps(std::uint64_t steps) {
  steps_of_thread += steps;
}
inline std::uint64_t counted_steps() {
  return steps_of_thread;
}
#endif
inline void count_step() {
  count_steps(1);
}

}  // namespace dynamo::json
