// Writes the CAs into every managed caBundle, and restores it after changes by others. Only the
// leader does so.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aio/signal.hpp"
#include "certs/managed/failure_log.hpp"
#include "certs/managed/secret_synchronizer.hpp"
#include "certs/managed/settings.hpp"
#include "certs/managed/view.hpp"
#include "certs/managed/write_rate_limit.hpp"

namespace dynamo::certs::managed {

// The field manager of the caBundles. It owns nothing else of these objects, not even the entries
// around the caBundles, which others can remove (ADR 13).
inline constexpr std::string_view kInjectorManager = "dynamo-webhook-ca-injector";

// The queue of a target. A target whose write timed out moves to the slow lane, where writes run
// one at a time with the full call timeout. So it does not block the others, which are written
// promptly or not at all. At most two writes are in flight, and all but the slow one release their
// connection within Settings::patience.
enum class Lane : std::uint8_t { kPrompt, kSlow };
inline constexpr std::array kLanes{Lane::kPrompt, Lane::kSlow};

// On the loop's thread.
class Injector {
 public:
  Injector(const Dependencies& dependencies, View& view);

  // Runs until it is cancelled. Call it once for each lane.
  aio::Task<> run(Lane lane);
  void ring() {
    for (aio::Signal& signal : signals_) signal.ring();
  }
  void set_leader(bool is_leader) {
    is_leader_ = is_leader;
    ring();
  }

 private:
  // Write history of one object, so that one that cannot be written does not block others.
  struct Record {
    explicit Record(const Settings& settings)
        : retry(settings.first_pause, settings.longest_pause) {}

    aio::Retry retry;
    WriteRateLimit rate_limit;
    Lane lane = Lane::kPrompt;
    bool is_in_flight = false;
    std::chrono::steady_clock::time_point tried{};  // start of the last attempt
    // The version that was overwritten last. While the cache still has it, the watch is behind our
    // write.
    std::string overwritten;
    // The version for which a write was refused last; there may be a newer one.
    std::string refused;
  };
  struct PendingWrite {
    InjectionTarget target;
    std::string bundle_pem;
  };
  enum class Outcome : std::uint8_t { kDone, kRefused, kUnanswered, kCancelled };

  // Writes until this lane has no due target.
  aio::Task<> step(Lane lane);
  // `record` is in flight until the write is done.
  aio::Task<Outcome> write(Lane lane, PendingWrite due, Record& record);
  void note(Record& record, Outcome outcome, const InjectionTarget& written);
  bool can_work() const;
  // The target that has waited longest, with its desired bundle.
  std::optional<PendingWrite> next(Lane lane);
  std::vector<const InjectionTarget*> differing(const std::string& bundle_pem) const;
  // Drops records that are no longer needed.
  void remove_stale_records(const std::vector<const InjectionTarget*>& due);
  bool can_write(Record& record, const InjectionTarget& target);
  // Maximum wait for the signal.
  std::chrono::milliseconds wait_limit(Lane lane) const;
  aio::Signal& signal(Lane lane) { return signals_[static_cast<std::size_t>(lane)]; }

  const Dependencies dependencies_;
  View& view_;
  std::array<aio::Signal, kLanes.size()> signals_;
  FailureLog failure_log_;
  std::map<std::string, Record, std::less<>> records_;  // by target_name()
  bool is_leader_ = false;
};

}  // namespace dynamo::certs::managed
