// Measures CPU time, for asserts on complexity such as "linear for any input": unlike wall time,
// CPU time hardly depends on other programs on the machine.
#pragma once

#include <algorithm>
#include <ctime>

#include "tests/support/sanitizers.hpp"

namespace dynamo::test {

inline constexpr double kSanitizerSlowdown = kSanitized ? 10.0 : 1.0;

// CPU seconds that `work` takes: the minimum of up to three runs; stops early if a run stays below
// `enough`. Corrected for the slowdown by sanitizers.
template <typename Work>
double processor_seconds(double enough, Work work) {
  double best = 0;
  for (int run = 0; run < 3; ++run) {
    const std::clock_t start = std::clock();
    work();
    const double taken =
        static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / kSanitizerSlowdown;
    best = run == 0 ? taken : std::min(best, taken);
    if (best < enough) break;
  }
  return best;
}

}  // namespace dynamo::test
