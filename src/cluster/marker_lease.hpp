// Holds the marker Lease of a namespace-restricted server: other operators skip the namespace while
// the Lease is live.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "aio/task.hpp"
#include "cluster/marker_plan.hpp"
#include "kube/client/client.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::cluster {

// Why a server must exit: its Lease could not be renewed.
struct MarkerLeaseLoss {
  std::string text;  // one line, already logged
};

// On the loop's thread.
class MarkerLease {
 public:
  // `ended` is called at most once; no writes follow. Everything given must outlive this.
  MarkerLease(boost::asio::io_context& loop, kube::Transport& transport, MarkerLeaseOptions options,
              const runtime::Clock& clock, runtime::Logger& logger,
              std::function<void(const MarkerLeaseLoss&)> ended);

  // Acquires the Lease and renews it until it is cancelled or the Lease is lost. Until the first
  // acquisition failures are retried without limit, with one log line. After it,
  // tolerated_failures() consecutive failures end it. Writes of other clients never end it, since
  // many clients may write the Lease; each type of conflict is logged at most once per hour (ADR
  // 18).
  aio::Task<> run();

  // For a clean stop after run(): deletes the Lease if we wrote it last and no other replica has
  // renewed it recently. One attempt; a Lease that remains expires.
  aio::Task<> release();

  bool is_held() const { return held_; }
  // True once the API server has confirmed a holder, us or another one. Readiness waits only for
  // that.
  bool is_settled() const { return renewals_ + conflicts_ > 0; }
  // Why it is not held; empty before the first attempt.
  const std::string& last_error() const { return last_error_; }
  std::uint64_t renewals() const { return renewals_; }  // successful writes
  std::uint64_t failures() const { return failures_; }  // failed attempts
  // Attempts that found a live foreign Lease, a rejected one, or lost every race.
  std::uint64_t conflicts() const { return conflicts_; }

 private:
  // Conflicts with other clients.
  enum class LeaseConflict : unsigned char { kHeld, kForged, kRaced };
  static constexpr std::size_t kLeaseConflicts = 3;

  struct Outcome {
    bool written = false;
    std::optional<std::string> other_holder = {};  // the live foreign holder
    std::string error = {};                        // otherwise the error
    bool is_raced = false;                         // another client wrote in between, each time
    bool is_cancelled = false;
  };

  static Outcome failed(const kube::Error& error);

  // Reads and writes once; repeats if another client writes in between.
  aio::Task<Outcome> attempt();
  aio::Task<kube::Result<kube::Object>> write(const std::optional<kube::Object>& found,
                                              MarkerStep step);
  void note_written(const kube::Object& object);
  void note_others(const LeaseRecord& found);
  void note_taken_over(const LeaseRecord& found);
  bool is_of_us(const LeaseRecord& found) const;  // not another replica's
  bool note_failure(const std::string& error);    // true: the limit is reached
  void note_held_by(const std::string& holder);
  void note_raced(const std::string& error);
  // Counts a conflict. True if it must be logged, which is once per hour.
  bool count_conflict(LeaseConflict conflict);
  void end(std::string text);
  void log_left_to_another() const;
  void log_release(const kube::Error& error) const;

  boost::asio::steady_timer pause_;
  const MarkerLeaseOptions options_;
  kube::Client client_;
  const runtime::Clock& clock_;
  runtime::Logger& logger_;
  const std::function<void(const MarkerLeaseLoss&)> ended_;

  bool held_ = false;
  bool is_over_ = false;
  unsigned failures_in_a_row_ = 0;
  std::string last_error_;
  std::uint64_t renewals_ = 0;
  std::uint64_t failures_ = 0;
  std::uint64_t conflicts_ = 0;
  std::array<std::optional<std::chrono::steady_clock::time_point>, kLeaseConflicts> reported_ = {};
  // Identifies our last acknowledged write; empty: none.
  kube::Preconditions last_write_;
  // The renewTime of every write that may be stored: the last acknowledged one, and later ones
  // without an answer.
  std::vector<std::chrono::system_clock::time_point> sent_;
  // Until when another replica that renewed the Lease may still be alive.
  std::optional<std::chrono::system_clock::time_point> shared_until_;
};

}  // namespace dynamo::cluster
