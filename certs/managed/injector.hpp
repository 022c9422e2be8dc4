// Writes the CAs into every caBundle that is ours to keep, again whenever somebody changes one. One
// replica does it, the leader.
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
#include "certs/managed/keeper.hpp"
#include "certs/managed/pace.hpp"
#include "certs/managed/settings.hpp"
#include "certs/managed/trouble.hpp"
#include "certs/managed/view.hpp"

namespace dynamo::certs::managed {

// Who owns the caBundles in managedFields, and nothing else of these objects: not even the entries
// they are in, which others can take away (ADR 13).
inline constexpr std::string_view kInjectorManager = "dynamo-webhook-ca-injector";

// Where a target waits for its turn. One that was not answered in time goes to the slow ones: they
// are written one after the other, with all the time that a call may take, and hold up nobody else,
// who is written promptly or not at all. So at most two writes are under way, and but for one of
// them everything gets its connection back within Settings::patience.
enum class Lane : std::uint8_t { kPrompt, kSlow };
inline constexpr std::array kLanes{Lane::kPrompt, Lane::kSlow};

// On the loop's thread.
class Injector {
 public:
  Injector(const Surroundings& surroundings, View& view);

  // Until it is cancelled. Each lane is to be run, once.
  aio::Task<> run(Lane lane);
  void ring() {
    for (aio::Signal& bell : bells_) bell.ring();
  }
  void set_leader(bool is_leader) {
    is_leader_ = is_leader;
    ring();
  }

 private:
  // What became of the writes of one object, so that one that cannot be written holds up no other.
  struct Record {
    explicit Record(const Settings& settings)
        : retry(settings.first_pause, settings.longest_pause) {}

    aio::Retry retry;
    Pace pace;
    Lane lane = Lane::kPrompt;
    bool is_in_hand = false;
    std::chrono::steady_clock::time_point tried{};  // begun last
    // What was overwritten last. While it is still what we see, the watch lags behind our write.
    std::string overwritten;
    // The version of which a write was refused last, as there may be another one by then.
    std::string refused;
  };
  struct Due {
    Target target;
    std::string bundle_pem;
  };
  enum class Outcome : std::uint8_t { kDone, kRefused, kUnanswered, kCancelled };

  // Writes until this lane has nothing to write for now.
  aio::Task<> step(Lane lane);
  // `record` is in hand until it is done.
  aio::Task<Outcome> write(Lane lane, Due due, Record& record);
  void note(Record& record, Outcome outcome, const Target& written);
  bool may_work() const;
  // The target that waits longest, with what it is to hold.
  std::optional<Due> next(Lane lane);
  std::vector<const Target*> differing(const std::string& bundle_pem) const;
  // Forgets what no longer matters.
  void tidy(const std::vector<const Target*>& due);
  bool may_write(Record& record, const Target& target);
  // How long to wait for the bell.
  std::chrono::milliseconds rest(Lane lane) const;
  aio::Signal& bell(Lane lane) { return bells_[static_cast<std::size_t>(lane)]; }

  const Surroundings with_;
  View& view_;
  std::array<aio::Signal, kLanes.size()> bells_;
  Trouble trouble_;
  std::map<std::string, Record, std::less<>> records_;  // by target_name()
  bool is_leader_ = false;
};

}  // namespace dynamo::certs::managed
