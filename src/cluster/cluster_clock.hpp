// The clock for a cluster's Leases: ours, or the API server's where the two differ.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <utility>

#include "aio/task.hpp"
#include "kube/http/transport.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::cluster {

// Our clock, corrected by the API server's clock if they differ by more than kTolerated: a machine
// whose clock is minutes off would treat live Leases as expired, and expired ones as live. Smaller
// differences are not corrected, because the API server reports whole seconds only.
//
// After the first answer the time continues from the last answer by a monotonic clock: a change of
// the machine's clock has no effect until the API server answers again. Any thread may read it.
class ClusterClock final : public runtime::Clock {
 public:
  static constexpr std::chrono::seconds kTolerated{5};

  // Both must outlive this.
  ClusterClock(const runtime::Clock& own, runtime::Logger& logger) : own_(own), logger_(logger) {}

  std::chrono::system_clock::time_point wall() const override;
  std::chrono::steady_clock::time_point monotonic() const override { return own_.monotonic(); }
  std::chrono::nanoseconds since_boot() const override { return own_.since_boot(); }

  // Processes `date`, the API server's clock in an answer that just arrived and took `took`. A slow
  // answer is ignored. Called on one thread; logs a change of the correction.
  void observe(std::chrono::system_clock::time_point date, std::chrono::nanoseconds took);

  // How far the API server's clock was ahead of ours at its last answer; zero if that is tolerated.
  // Any thread.
  std::chrono::seconds correction() const { return correction_.load(std::memory_order_relaxed); }

 private:
  const runtime::Clock& own_;
  runtime::Logger& logger_;
  // The wall time at boot according to the last answer; kNoAnchor before the first one.
  static constexpr std::chrono::nanoseconds kNoAnchor = std::chrono::nanoseconds::min();
  std::atomic<std::chrono::nanoseconds> anchor_{kNoAnchor};
  std::atomic<std::chrono::seconds> correction_{std::chrono::seconds(0)};
};

// A transport that passes the Date of each answer to a clock.
class ClockSyncTransport final : public kube::Transport {
 public:
  // `clock` must outlive this.
  ClockSyncTransport(std::unique_ptr<kube::Transport> transport, ClusterClock& clock)
      : transport_(std::move(transport)), clock_(clock) {}

  aio::Task<kube::Result<kube::Response>> send(kube::Request request) override;
  aio::Task<kube::Result<std::unique_ptr<kube::Stream>>> open(kube::Request request) override {
    return transport_->open(std::move(request));
  }

 private:
  std::unique_ptr<kube::Transport> transport_;
  ClusterClock& clock_;
};

}  // namespace dynamo::cluster
