// One of several replicas leads: who holds a Lease, as client-go's election does it.
//
// Nobody looks at another's clock. A candidate takes the lease when it has not seen it change for
// `lease_duration` of its own time, or for as long as the lease itself says if that is longer,
// within bounds; a leader stops leading when its last renewal was begun `renew_deadline` of its own
// time ago, in which the time that its machine was suspended counts. As the second is shorter,
// never two lead at once, as long as their clocks run at about the same speed.
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
#include "kube/client.hpp"
#include "kube/object.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::kube {

struct ElectionOptions {
  std::string namespace_name;
  std::string name;      // of the Lease
  std::string identity;  // differs from process to process, as a pod's name and a random number do
  // Of the Lease, for whoever wants to know what its holder does. Names, and values; an empty one:
  // that of a former holder goes.
  std::vector<std::pair<std::string, std::string>> annotations = {};
  // Of the Lease, for clients that select Leases by label.
  std::vector<std::pair<std::string, std::string>> labels = {};
  // lease_duration > renew_deadline > retry_period.
  std::chrono::milliseconds lease_duration{15'000};
  std::chrono::milliseconds renew_deadline{10'000};
  std::chrono::milliseconds retry_period{2'000};
  // A holder may have been told another lease_duration than we are, and is waited for as long as
  // its Lease says, but no longer than this: whoever writes it could keep everybody from leading
  // for days. A holder that renews less often than this is taken for dead while it lives.
  std::chrono::milliseconds longest_foreign_duration{300'000};
  // For all requests of release() together: whoever stops us does not wait for long.
  std::chrono::milliseconds release_deadline{3'000};
};

// The Lease as a candidate saw it last.
struct SeenLease {
  std::string holder;  // empty: released
  std::chrono::milliseconds duration{0};
  std::string acquire_time;
  std::int64_t transitions = 0;
  std::string resource_version;
  Object object = {};  // as it was read: others' labels, annotations, owners and fields in it stay
  // When this candidate first saw it in this form, after the answer had come.
  std::chrono::steady_clock::time_point since;
};

enum class ElectionStep : std::uint8_t {
  kCreate,  // there is none
  kTake,    // it is free, or its holder let it run out
  kRenew,   // it is ours
  kWait,    // another holds it
};

// What a candidate does about the lease. Pure.
ElectionStep decide(const std::optional<SeenLease>& lease, const ElectionOptions& options,
                    std::chrono::steady_clock::time_point now);

// On the loop's thread only.
class LeaderElection {
 public:
  // Everything given must outlive it. `gained` and `lost` are called in turn, `gained` first; they
  // start and stop what a leader does. `lost` is called at most about a request's deadline (a third
  // of renew_deadline) after leads() has become false.
  LeaderElection(Client& client, ElectionOptions options, const runtime::Clock& clock,
                 runtime::Logger& logger, std::function<void()> gained, std::function<void()> lost);

  // Takes part until it is cancelled, then gives the lease back so that another need not wait:
  // spawn it into a TaskGroup, once. Before an exception leaves it `lost` is called if we lead, and
  // it can be run again.
  aio::Task<> run();

  // Looks once and does what follows; answers how long to wait before the next. A part of run().
  aio::Task<std::chrono::milliseconds> step();

  // Calls `lost` if we lead, and frees the lease if it is ours, within `release_deadline`. A part
  // of run().
  aio::Task<> release();

  // True only while nobody else can lead: ask right before each thing that only a leader may do.
  bool leads() const;
  // Who holds the lease as far as we know; empty for nobody.
  std::string_view holder() const { return seen_ ? std::string_view(seen_->holder) : ""; }
  const std::string& last_error() const { return last_error_; }  // empty while all is well

 private:
  aio::Task<bool> look(std::chrono::milliseconds deadline);
  aio::Task<> write(ElectionStep step);
  std::string body_of(ElectionStep step, bool is_release) const;
  enum class Others : std::uint8_t { kKept, kDropped };  // what is not ours in the Lease
  std::string body_of(ElectionStep step, bool is_release, Others others) const;
  void write_metadata(json::Writer& writer, Others others) const;
  void note(const Object& lease);
  void failed(const Error& error);
  void well();
  void stop_leading(std::string_view why);
  std::chrono::milliseconds hurry() const;
  std::chrono::milliseconds rest_of_follower();

  Client& client_;
  const ElectionOptions options_;
  const runtime::Clock& clock_;
  runtime::Logger& logger_;
  const std::function<void()> gained_;
  const std::function<void()> lost_;
  std::minstd_rand random_;

  std::optional<SeenLease> seen_;
  bool is_current_ = false;  // seen_ is what the server answered last, also if there is no lease
  bool is_leader_ = false;
  bool may_be_ours_ = false;  // as it was answered last, or by a write whose answer did not come
  // When the last renewal that worked was begun, since boot: others count on while we sleep.
  std::chrono::nanoseconds renewed_{0};
  std::string last_error_;
};

}  // namespace dynamo::kube
