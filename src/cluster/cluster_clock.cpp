#include "cluster/cluster_clock.hpp"

#include <cstdint>
#include <utility>

namespace dynamo::cluster {
namespace {

using std::chrono::seconds;

// Of an answer that came later nobody knows when its date was written.
constexpr seconds kLongestAnswer{2};
// Less than this is the API server's rounding, and the way of the answer.
constexpr seconds kNoise{2};
// What was corrected stays so until the two are clearly closer than what is tolerated: the rounding
// of one answer, and the next one's, would correct by turns.
constexpr seconds kAgrees = ClusterClock::kTolerated - kNoise;

}  // namespace

std::chrono::system_clock::time_point ClusterClock::wall() const {
  const std::chrono::nanoseconds anchor = anchor_.load(std::memory_order_relaxed);
  if (anchor == kNoAnchor) return own_.wall();
  return std::chrono::system_clock::time_point(anchor + own_.since_boot());
}

void ClusterClock::heard(std::chrono::system_clock::time_point date,
                         std::chrono::nanoseconds took) {
  if (took > kLongestAnswer) return;
  const auto own = own_.wall();
  const std::chrono::nanoseconds since_boot = own_.since_boot();
  const auto middle = date + std::chrono::milliseconds(500);  // of the second that was told
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
      "the clock differs from the API server's, by which leases and certificates are judged now",
      {{"ahead_seconds", static_cast<std::int64_t>(wanted.count())}});
}

aio::Task<kube::Result<kube::Response>> ListeningTransport::send(kube::Request request) {
  const auto asked = clock_.since_boot();  // an answer may wait while the machine sleeps
  auto answer = co_await transport_->send(std::move(request));
  if (answer && answer->date) clock_.heard(*answer->date, clock_.since_boot() - asked);
  co_return answer;
}

}  // namespace dynamo::cluster
