// Counts how often a verdict on one generation of an object was written.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>

namespace dynamo::reconciler::validation {

// If another client keeps overwriting our condition, each of our writes succeeds and would be
// repeated immediately, without end. So only the first few are immediate; then the pause doubles
// each time. A plain data structure for one thread; the caller passes the time, which must never
// decrease.
class RewriteLimiter {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr unsigned kAtOnce = 5;
  static constexpr std::chrono::seconds kFirstPause{1};  // doubles each time
  static constexpr std::chrono::seconds kLongestPause{300};

  // Identifies one verdict by the object and the findings. If a client reverts it, the same id
  // results; a new verdict, as after a policy change, has a new one.
  using Id = std::size_t;
  static Id id_of(std::string_view uid, std::int64_t generation, std::string_view verdict,
                  std::string_view change);

  // Delay until it may be written; zero: none.
  std::chrono::milliseconds pause(Id id, Time now) const;
  // Call after it was written.
  void note(Id id, Time now);

 private:
  // As many entries as a queue has keys; some 50 bytes each. Above that, entries written once are
  // dropped, and then all: their count starts again.
  static constexpr std::size_t kMax = 100'000;
  static constexpr std::size_t kFirstSweep = 4'096;

  struct WriteCount {
    unsigned times = 0;
    Time last{};
  };
  static std::chrono::seconds pause_after(const WriteCount& count);
  static bool is_over(const WriteCount& count, Time now);
  void sweep(Time now);

  std::unordered_map<Id, WriteCount> counts_;
  std::size_t next_sweep_ = kFirstSweep;  // at that size
};

}  // namespace dynamo::reconciler::validation
