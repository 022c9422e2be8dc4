// Limits how often one object is written, because another writer may keep reverting it.
#pragma once

#include <chrono>
#include <utility>

namespace dynamo::certs::managed {

// Ten writes within a minute indicate a conflict with another writer, which faster writes do not
// resolve: further writes wait until the minute is over.
class WriteRateLimit {
 public:
  using Time = std::chrono::steady_clock::time_point;

  bool is_over(Time now) const { return writes_ == 0 || now - first_ > kWindow; }
  bool can_write(Time now) const { return is_over(now) || writes_ < kMaxWrites; }
  void note_written(Time now) {
    if (is_over(now)) *this = WriteRateLimit();
    if (writes_++ == 0) first_ = now;
  }
  // True once per minute, for the log line about it.
  bool should_log() { return !std::exchange(is_reported_, true); }

 private:
  static constexpr unsigned kMaxWrites = 10;
  static constexpr std::chrono::minutes kWindow{1};

  Time first_{};
  unsigned writes_ = 0;
  bool is_reported_ = false;
};

}  // namespace dynamo::certs::managed
