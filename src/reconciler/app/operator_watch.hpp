// Detects whether the Go operator leads, from the Lease of its leader election.
//
// Like kube/controller/leader_election.hpp, it ignores the holder's clock: the holder counts as
// alive until its Lease has been unchanged for its own lease duration, measured locally. So a
// holder seen for the first time is waited for, even if it died long ago.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "aio/task.hpp"
#include "kube/client/client.hpp"
#include "kube/object/object.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::reconciler {

// The last observed state of the Lease.
struct ObservedHolder {
  std::string holder;  // printable; empty: no holder
  std::chrono::seconds duration{0};
  std::string resource_version;
  // When this version was first observed, measured after the answer arrived.
  std::chrono::steady_clock::time_point since;
  bool has_changed = false;  // an earlier version was observed
};

// Updates `before` with the Lease read at `now`. Pure.
ObservedHolder observe_holder(const kube::Object& lease,
                              const std::optional<ObservedHolder>& before,
                              std::chrono::steady_clock::time_point now);

// Whether the Lease has a holder that has not expired. Pure.
bool is_alive(const ObservedHolder& observed, std::chrono::steady_clock::time_point now);

// On the loop's thread.
class OperatorWatch {
 public:
  // All arguments must outlive it.
  OperatorWatch(kube::Client& client, std::string namespace_name, std::string name,
                const runtime::Clock& clock, runtime::Logger& logger);

  // How long an answer stays valid: another operator may start to lead while the API server does
  // not answer. Equals the operator's lease duration.
  static constexpr std::chrono::seconds kAnswerValidity{15};

  // Reads the Lease once. If the read fails, the previous answer stays: a live holder until the
  // next successful read, the absence of a holder for kAnswerValidity.
  aio::Task<> read_lease();

  // Why we must not do the operator's work: it leads, or its state is unknown. nullopt: it does not
  // lead.
  std::optional<std::string> blocked_reason() const;

  // It counts as leading only because its Lease has not been watched long enough: check again.
  bool is_undecided() const { return is_held_ && !observed_->has_changed; }

 private:
  kube::Client& client_;
  const std::string namespace_name_;
  const std::string name_;
  const runtime::Clock& clock_;
  runtime::Logger& logger_;
  std::optional<std::chrono::steady_clock::time_point>
      known_;  // when the last answer was requested
  std::optional<ObservedHolder>
      observed_;          // from the last answer; nullopt: the Lease does not exist
  bool is_held_ = false;  // from the last answer: the holder is alive
  std::string last_error_;
};

}  // namespace dynamo::reconciler
