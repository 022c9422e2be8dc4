// The time by which a cluster's Leases are judged: ours, or the API server's where the two differ.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <utility>

#include "aio/task.hpp"
#include "kube/transport.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::cluster {

// Our clock, set right by that of the API server when they are more than kTolerated apart: a
// machine whose clock is minutes off would take live Leases for dead ones, and dead ones for live.
// Below that nothing is changed, because the API server tells whole seconds only.
//
// From the first answer on the time runs on from the last one by a clock that nobody sets: whoever
// sets the machine's clock, right or wrong, changes nothing here until the API server answers
// again. Reading it is safe from any thread.
class ClusterClock final : public runtime::Clock {
 public:
  static constexpr std::chrono::seconds kTolerated{5};

  // Both must outlive this.
  ClusterClock(const runtime::Clock& own, runtime::Logger& logger) : own_(own), logger_(logger) {}

  std::chrono::system_clock::time_point wall() const override;
  std::chrono::steady_clock::time_point monotonic() const override { return own_.monotonic(); }
  std::chrono::nanoseconds since_boot() const override { return own_.since_boot(); }

  // The API server's `date`, in an answer that has just come and took `took` from the question on.
  // What took long says little. One thread; logs when the correction changes.
  void heard(std::chrono::system_clock::time_point date, std::chrono::nanoseconds took);

  // How far the API server's clock was ahead of ours at its last answer; zero while that is
  // tolerated. Any thread.
  std::chrono::seconds correction() const { return correction_.load(std::memory_order_relaxed); }

 private:
  const runtime::Clock& own_;
  runtime::Logger& logger_;
  // What the time was when the machine started, by the last answer; kNoAnchor before the first one.
  static constexpr std::chrono::nanoseconds kNoAnchor = std::chrono::nanoseconds::min();
  std::atomic<std::chrono::nanoseconds> anchor_{kNoAnchor};
  std::atomic<std::chrono::seconds> correction_{std::chrono::seconds(0)};
};

// A transport that lets a clock hear what time it is for the server of each answer.
class ListeningTransport final : public kube::Transport {
 public:
  // `clock` must outlive this.
  ListeningTransport(std::unique_ptr<kube::Transport> transport, ClusterClock& clock)
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
