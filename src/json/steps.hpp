// Counts traversal steps over values and long texts, in debug builds only. Tests use it to assert
// that twice the input costs twice the steps, independent of the machine.
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
// Steps of this thread since it started; only differences are meaningful.
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
