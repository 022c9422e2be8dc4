// The time by which a cluster's Leases are judged: ours, or the API server's where the two differ.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <utility>

#include "kube/task.hpp"
#include "kube/transport.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::cluster {

// Our clock, set right by that of the API server when they are more than kTolerated apart: a
// machine whose clock is minutes off would take live Leases for dead ones, and dead ones for live.
// Below that nothing is changed, because the API server tells whole seconds only. Reading it is
// safe from any thread.
class ClusterClock final : public runtime::Clock {
 public:
  static constexpr std::chrono::seconds kTolerated{5};

  // Both must outlive this.
  ClusterClock(const runtime::Clock& own, runtime::Logger& logger) : own_(own), logger_(logger) {}

  std::chrono::system_clock::time_point wall() const override {
    return own_.wall() + correction_.load(std::memory_order_relaxed);
  }
  std::chrono::steady_clock::time_point monotonic() const override { return own_.monotonic(); }

  // The API server's `date`, in an answer that has just come and took `took` from the question on.
  // What took long says little. One thread; logs when the correction changes.
  void heard(std::chrono::system_clock::time_point date, std::chrono::nanoseconds took);

  // How far the API server's clock is ahead of ours; zero while that is tolerated. Any thread.
  std::chrono::seconds correction() const { return correction_.load(std::memory_order_relaxed); }

 private:
  const runtime::Clock& own_;
  runtime::Logger& logger_;
  std::atomic<std::chrono::seconds> correction_{std::chrono::seconds(0)};
};

// A transport that lets a clock hear what time it is for the server of each answer.
class ListeningTransport final : public kube::Transport {
 public:
  // `clock` must outlive this.
  ListeningTransport(std::unique_ptr<kube::Transport> transport, ClusterClock& clock)
      : transport_(std::move(transport)), clock_(clock) {}

  kube::Task<kube::Result<kube::Response>> send(kube::Request request) override;
  kube::Task<kube::Result<std::unique_ptr<kube::Stream>>> open(kube::Request request) override {
    return transport_->open(std::move(request));
  }

 private:
  std::unique_ptr<kube::Transport> transport_;
  ClusterClock& clock_;
};

}  // namespace dynamo::cluster
