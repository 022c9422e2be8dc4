// How often a verdict on one generation of an object was written.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>

namespace dynamo::reconciler::validation {

// A condition that somebody else writes otherwise each time would be put back each time, for ever,
// as each of these writes succeeds. So only the first few are at once; between those behind them
// there is ever more time. A plain structure of one thread; time is passed in, and never goes back.
class Rewrites {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr unsigned kAtOnce = 5;
  static constexpr std::chrono::seconds kFirstPause{1};  // then twice as long each time
  static constexpr std::chrono::seconds kLongestPause{300};

  // Of one verdict, by the object and what is said of it: who takes it back gets the same again,
  // while another one, as of another policy, is news.
  using Id = std::size_t;
  static Id id_of(std::string_view uid, std::int64_t generation, std::string_view verdict,
                  std::string_view change);

  // How long to wait until it may be written; zero: not at all.
  std::chrono::milliseconds pause(Id id, Time now) const;
  // It was written.
  void note(Id id, Time now);

 private:
  // As many as a queue has keys; some 50 bytes each. Of more those are forgotten that were written
  // once, and else all: they begin anew.
  static constexpr std::size_t kMost = 100'000;
  static constexpr std::size_t kFirstSweep = 4'096;

  struct Written {
    unsigned times = 0;
    Time last{};
  };
  static std::chrono::seconds pause_after(const Written& written);
  static bool is_over(const Written& written, Time now);
  void sweep(Time now);

  std::unordered_map<Id, Written> of_;
  std::size_t next_sweep_ = kFirstSweep;  // at that size
};

}  // namespace dynamo::reconciler::validation
