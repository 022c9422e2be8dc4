// The only source of the time, so that tests can control it.
#pragma once

#include <chrono>
#include <ctime>

namespace dynamo::runtime {

// Safe to read from any thread. Callers keep a reference; the clock outlives them.
class Clock {
 public:
  virtual ~Clock() = default;

  // For display and certificates: may jump when the machine's time is set.
  virtual std::chrono::system_clock::time_point wall() const = 0;

  // For deadlines and durations: never goes back.
  virtual std::chrono::steady_clock::time_point monotonic() const = 0;

  // Time since an arbitrary point, including time in which the machine was suspended. Never goes
  // back and cannot be set.
  virtual std::chrono::nanoseconds since_boot() const { return monotonic().time_since_epoch(); }
};

class SystemClock final : public Clock {
 public:
  std::chrono::system_clock::time_point wall() const override {
    return std::chrono::system_clock::now();
  }
  std::chrono::steady_clock::time_point monotonic() const override {
    return std::chrono::steady_clock::now();
  }
  std::chrono::nanoseconds since_boot() const override {
    timespec time{};
    if (::clock_gettime(CLOCK_BOOTTIME, &time) != 0) return Clock::since_boot();
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }
};

}  // namespace dynamo::runtime
