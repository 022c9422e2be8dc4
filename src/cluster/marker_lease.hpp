// Keeps the marker Lease of a namespace-restricted server: others leave the namespace alone while
// it lives.
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
#include "kube/client.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::cluster {

// Why a server must not go on: its Lease could not be renewed.
struct MarkerEnd {
  std::string text;  // one line; it has been logged
};

// Everything on the loop's thread.
class MarkerLease {
 public:
  // `ended` is called at most once, after which nothing is written any more. Everything given must
  // outlive this.
  MarkerLease(boost::asio::io_context& loop, kube::Transport& transport, MarkerLeaseOptions options,
              const runtime::Clock& clock, runtime::Logger& logger,
              std::function<void(const MarkerEnd&)> ended);

  // Takes the Lease and renews it until it is cancelled or cannot be kept. While the Lease is not
  // ours failures are retried for ever, with one log line; else so many in a row as
  // tolerated_failures() says end it. What others write into the Lease ends nothing, as many may:
  // it is told, in a log line an hour for each way (ADR 23).
  aio::Task<> run();

  // For a clean stop, when run() is over: deletes the Lease if we wrote it last and no other
  // replica has renewed it lately. One try; what stays behind expires.
  aio::Task<> release();

  bool held() const { return held_; }
  // The API server has said once whose the Lease is, ours or another's: nothing else is waited for.
  bool is_settled() const { return renewals_ + contests_ > 0; }
  // Why it is not held; empty before the first try.
  const std::string& last_error() const { return last_error_; }
  std::uint64_t renewals() const { return renewals_; }  // writes that succeeded
  std::uint64_t failures() const { return failures_; }  // tries that did not
  // Tries that found it another's and alive, not to be believed, or written in between each time.
  std::uint64_t contests() const { return contests_; }

 private:
  // What others do with the Lease.
  enum class Contest : unsigned char { kHeld, kForged, kRaced };
  static constexpr std::size_t kContests = 3;

  struct Outcome {
    bool written = false;
    std::optional<std::string> other_holder = {};  // whose it is, alive
    std::string error = {};                        // else why not
    bool is_raced = false;                         // somebody wrote in between, each time
    bool is_cancelled = false;
  };

  static Outcome failed(const kube::Error& error);

  // Reads and writes once, more often when somebody writes in between.
  aio::Task<Outcome> attempt();
  aio::Task<kube::Result<kube::Object>> write(const std::optional<kube::Object>& found,
                                              MarkerStep step);
  void note_written(const kube::Object& object);
  void note_others(const LeaseRecord& found);
  void note_taken_over(const LeaseRecord& found);
  bool is_of_us(const LeaseRecord& found) const;  // not of another replica
  bool note_failure(const std::string& error);    // true: that was one too many
  void note_held_by(const std::string& holder);
  void note_raced(const std::string& error);
  // Counts it; true when it is to be told, as it was not within the hour.
  bool note_contest(Contest contest);
  void end(std::string text);
  void log_left_to_another() const;
  void log_release(const kube::Error& error) const;

  boost::asio::steady_timer pause_;
  const MarkerLeaseOptions options_;
  kube::Client client_;
  const runtime::Clock& clock_;
  runtime::Logger& logger_;
  const std::function<void(const MarkerEnd&)> ended_;

  bool held_ = false;
  bool is_over_ = false;
  unsigned failures_in_a_row_ = 0;
  std::string last_error_;
  std::uint64_t renewals_ = 0;
  std::uint64_t failures_ = 0;
  std::uint64_t contests_ = 0;
  std::array<std::optional<std::chrono::steady_clock::time_point>, kContests> told_ = {};
  // Of our last write that was acknowledged; empty: none.
  kube::Preconditions last_write_;
  // The renewTime of every write that may be what is stored: of the last one that was acknowledged
  // and of those sent since, whose answers did not come.
  std::vector<std::chrono::system_clock::time_point> sent_;
  // Until when another replica, which renewed the Lease too, may be taken to live.
  std::optional<std::chrono::system_clock::time_point> shared_until_;
};

}  // namespace dynamo::cluster
