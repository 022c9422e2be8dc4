#include "cluster/cluster_clock.hpp"

#include <cstdint>
#include <utility>

namespace dynamo::cluster {
namespace {

using std::chrono::seconds;

// Slower answers are ignored: the time of their Date is too uncertain.
constexpr seconds kLongestAnswer{2};
// Differences below this come from rounding by the API server and network latency.
constexpr seconds kNoise{2};
// Hysteresis: a correction stays until the difference is clearly below kTolerated. Otherwise
// rounding would switch the correction on and off.
constexpr seconds kAgrees = ClusterClock::kTolerated - kNoise;

}  // namespace

std::chrono::system_clock::time_point ClusterClock::wall() const {
  const std::chrono::nanoseconds anchor = anchor_.load(std::memory_order_relaxed);
  if (anchor == kNoAnchor) return own_.wall();
  return std::chrono::system_clock::time_point(anchor + own_.since_boot());
}

void ClusterClock::observe(std::chrono::system_clock::time_point date,
                           std::chrono::nanoseconds took) {
  if (took > kLongestAnswer) return;
  const auto own = own_.wall();
  const std::chrono::nanoseconds since_boot = own_.since_boot();
  const auto middle = date + std::chrono::milliseconds(500);  // middle of the reported second
  const auto ahead = std::chrono::round<seconds>(middle - own);
  const seconds before = correction();
  const seconds tolerated = before == seconds(0) ? kTolerated : kAgrees;
  seconds wanted = std::chrono::abs(ahead) > tolerated ? ahead : seconds(0);
  const bool is_noise = wanted != seconds(0) && std::chrono::abs(wanted - before) <= kNoise;
  if (is_noise) wanted = before;
  anchor_.store((own + wanted).time_since_epoch() - since_boot, std::memory_order_relaxed);
  if (wanted == before) return;
  correction_.store(wanted, std::memory_order_relaxed);
  if (wanted == seconds(0)) {
    logger_.log(runtime::Level::kInfo, "the clock agrees with the API server's again", {});
    return;
  }
  logger_.log(
      runtime::Level::kWarning,
      "the clock differs from the API server's, by which leases and certificates are evaluated "
      "now",
      {{"ahead_seconds", static_cast<std::int64_t>(wanted.count())}});
}

aio::Task<kube::Result<kube::Response>> ClockSyncTransport::send(kube::Request request) {
  const auto asked = clock_.since_boot();  // includes time in which the machine sleeps
  auto answer = co_await transport_->send(std::move(request));
  if (answer && answer->date) clock_.observe(*answer->date, clock_.since_boot() - asked);
  co_return answer;
}

}  // namespace dynamo::cluster
