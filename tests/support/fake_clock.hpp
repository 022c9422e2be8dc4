// Clocks controlled by a test.
#pragma once

#include <atomic>
#include <chrono>

#include "runtime/clock.hpp"

namespace dynamo::test {

// Does not advance by itself. Starts at 2026-02-03T04:05:06.000Z. Safe to read and advance from
// several threads.
class FakeClock final : public runtime::Clock {
 public:
  FakeClock() : FakeClock(std::chrono::system_clock::from_time_t(1'770'091'506)) {}
  explicit FakeClock(std::chrono::system_clock::time_point start) : start_(start) {}

  std::chrono::system_clock::time_point wall() const override {
    return start_ + std::chrono::duration_cast<std::chrono::system_clock::duration>(elapsed());
  }
  std::chrono::steady_clock::time_point monotonic() const override {
    return std::chrono::steady_clock::time_point(std::chrono::hours(1)) + awake();
  }
  std::chrono::nanoseconds since_boot() const override { return std::chrono::hours(1) + elapsed(); }

  // Advances all times.
  void tick(std::chrono::nanoseconds by) { elapsed_.fetch_add(by.count()); }
  // Simulates a machine in suspend: the monotonic time does not advance.
  void suspend(std::chrono::nanoseconds by) {
    asleep_.fetch_add(by.count());
    elapsed_.fetch_add(by.count());
  }

 private:
  std::chrono::nanoseconds elapsed() const { return std::chrono::nanoseconds(elapsed_.load()); }
  std::chrono::nanoseconds awake() const {
    return elapsed() - std::chrono::nanoseconds(asleep_.load());
  }

  const std::chrono::system_clock::time_point start_;
  std::atomic<std::chrono::nanoseconds::rep> elapsed_{0};
  std::atomic<std::chrono::nanoseconds::rep> asleep_{0};
};

// The system clock, until a test advances it.
class LeapingClock final : public runtime::Clock {
 public:
  std::chrono::system_clock::time_point wall() const override {
    return std::chrono::system_clock::now() +
           std::chrono::duration_cast<std::chrono::system_clock::duration>(leapt());
  }
  std::chrono::steady_clock::time_point monotonic() const override {
    return std::chrono::steady_clock::now() + leapt();
  }

  void leap(std::chrono::nanoseconds by) { leapt_.fetch_add(by.count()); }

 private:
  std::chrono::nanoseconds leapt() const { return std::chrono::nanoseconds(leapt_.load()); }

  std::atomic<std::chrono::nanoseconds::rep> leapt_{0};
};

}  // namespace dynamo::test
