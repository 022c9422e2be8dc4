// Limits how often one object is written, because another writer may keep reverting it.
#pragma once

#include <chrono>
#include <utility>

namespace dynamo::certs::managed {

// Ten writes within a minute indicate a conflict with another writer, which faster writes do not
// resolve: further writes wait until the minute is over.
class Pace {
 public:
  using Moment = std::chrono::steady_clock::time_point;

  bool is_over(Moment now) const { return writes_ == 0 || now - first_ > kWindow; }
  bool may_write(Moment now) const { return is_over(now) || writes_ < kMaxWrites; }
  void note_written(Moment now) {
    if (is_over(now)) *this = Pace();
    if (writes_++ == 0) first_ = now;
  }
  // True once per minute, for the log line about it.
  bool is_news() { return !std::exchange(is_reported_, true); }

 private:
  static constexpr unsigned kMaxWrites = 10;
  static constexpr std::chrono::minutes kWindow{1};

  Moment first_{};
  unsigned writes_ = 0;
  bool is_reported_ = false;
};

}  // namespace dynamo::certs::managed
