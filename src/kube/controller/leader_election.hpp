// Leader election among replicas with a Lease, compatible with client-go.
//
// No replica depends on another one's clock. A candidate takes the Lease when it has not seen it
// change for `lease_duration` of its own time. If the duration in the Lease is longer, that
// applies, within bounds. A leader stops leading `renew_deadline` of its own time after the start
// of its last successful renewal; time in which its machine was suspended counts. As renew_deadline
// is shorter, two replicas never lead at once if their clocks run at about the same speed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aio/task.hpp"
#include "json/writer.hpp"
#include "kube/client/client.hpp"
#include "kube/object/lease_body.hpp"
#include "kube/object/object.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::kube {

struct ElectionOptions {
  std::string namespace_name;
  std::string name;      // of the Lease
  std::string identity;  // unique per process, such as the pod's name and a random number
  // Annotations of the Lease, which describe its holder: names and values. An empty value removes
  // the annotation of a former holder.
  std::vector<std::pair<std::string, std::string>> annotations = {};
  // Labels of the Lease, for clients that select Leases by label.
  std::vector<std::pair<std::string, std::string>> labels = {};
  // lease_duration > renew_deadline > retry_period.
  std::chrono::milliseconds lease_duration{15'000};
  std::chrono::milliseconds renew_deadline{10'000};
  std::chrono::milliseconds retry_period{2'000};
  // A holder may have another lease_duration, so candidates wait for the duration in the Lease, but
  // no longer than this limit: otherwise a client that can write the Lease could block the election
  // for days. A holder that renews less often than this counts as dead although it runs.
  std::chrono::milliseconds longest_foreign_duration{300'000};
  // For all requests of release() together, since shutdown must be quick.
  std::chrono::milliseconds release_deadline{3'000};
};

// The Lease as this candidate last read it.
struct ObservedLease {
  std::string holder;  // empty: released
  std::chrono::milliseconds duration{0};
  std::string acquire_time;
  std::int64_t transitions = 0;
  std::string resource_version;
  Object object = {};  // as read: labels, annotations, owners and fields of others are kept
  // When this candidate first saw this version, measured after the answer.
  std::chrono::steady_clock::time_point since;
};

enum class ElectionStep : std::uint8_t {
  kCreate,  // it does not exist
  kTake,    // it is free or has expired
  kRenew,   // it is ours
  kWait,    // another replica holds it
};

// The candidate's next action on the Lease. Pure.
ElectionStep decide(const std::optional<ObservedLease>& lease, const ElectionOptions& options,
                    std::chrono::steady_clock::time_point now);

// On the loop's thread only.
class LeaderElection {
 public:
  // Everything given must outlive it. `gained` and `lost` are called alternately, `gained` first;
  // they start and stop the leader's work. `lost` is called at most about one request deadline (a
  // third of renew_deadline) after leads() has become false.
  LeaderElection(Client& client, ElectionOptions options, const runtime::Clock& clock,
                 runtime::Logger& logger, std::function<void()> gained, std::function<void()> lost);

  // Participates until it is cancelled, then releases the Lease so that another replica need not
  // wait: spawn it into a TaskGroup, once. If an exception leaves it, `lost` is called first if we
  // lead, and it can be run again.
  aio::Task<> run();

  // Reads the Lease once and acts on it. Returns the time until the next step. A part of run().
  aio::Task<std::chrono::milliseconds> step();

  // Calls `lost` if we lead, and frees the Lease if it is ours, within `release_deadline`. A part
  // of run().
  aio::Task<> release();

  // True only while no other replica can lead: check it right before each action that requires
  // leadership.
  bool leads() const;
  // The last known holder of the Lease; empty if there is none.
  std::string_view holder() const { return observed_ ? std::string_view(observed_->holder) : ""; }
  const std::string& last_error() const { return last_error_; }  // empty without an error

 private:
  aio::Task<bool> read_lease(std::chrono::milliseconds deadline);
  aio::Task<> write(ElectionStep step);
  std::string body_of(ElectionStep step, bool is_release) const;
  void write_metadata(json::Writer& writer, ForeignFields foreign) const;
  void set_observed(const Object& lease);
  void failed(const Error& error);
  void clear_error();
  void stop_leading(std::string_view why);
  std::chrono::milliseconds request_deadline() const;
  std::chrono::milliseconds next_check_in();

  Client& client_;
  const ElectionOptions options_;
  const runtime::Clock& clock_;
  runtime::Logger& logger_;
  const std::function<void()> gained_;
  const std::function<void()> lost_;
  std::minstd_rand random_;

  std::optional<ObservedLease> observed_;
  bool is_current_ = false;  // observed_ is the server's last answer, also if there is no Lease
  bool is_leader_ = false;
  bool can_be_ours_ = false;  // from the last answer, or from a write without an answer
  // When the last successful renewal started, as time since boot: it includes suspended time.
  std::chrono::nanoseconds renewed_{0};
  std::string last_error_;
};

}  // namespace dynamo::kube
