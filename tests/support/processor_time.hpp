// How much processor time something takes, for promises such as "linear, whatever the input": other
// programs on the machine hardly change it, as they change the time on the clock.
#pragma once

#include <algorithm>
#include <ctime>

#include "tests/support/sanitizers.hpp"

namespace dynamo::test {

inline constexpr double kSanitizerSlowdown = kSanitized ? 10.0 : 1.0;

// Seconds of processor time that `work` takes when nothing disturbs it: the best of up to three
// runs, fewer when one stays below `enough`. Sanitizers are taken out of the account.
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
