// Whether the Go operator leads, by the Lease with which its replicas elect their leader.
//
// Nobody looks at another's clock, as in kube/leader_election.hpp: its holder lives until its Lease
// has not been seen to change for as long as it says of itself, by our time. So a holder of whom
// nothing is known yet is waited for, also one that died long ago.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "aio/task.hpp"
#include "kube/client.hpp"
#include "kube/object.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"

namespace dynamo::reconciler {

// Such a Lease as it was seen last.
struct SeenHolder {
  std::string holder;  // presentable; empty: nobody
  std::chrono::seconds duration{0};
  std::string resource_version;
  // When it was first seen in this form, after the answer had come.
  std::chrono::steady_clock::time_point since;
  bool has_changed = false;  // it was seen in another form before
};

// The Lease, read at `now`, after it was seen as `before`. Pure.
SeenHolder see_holder(const kube::Object& lease, const std::optional<SeenHolder>& before,
                      std::chrono::steady_clock::time_point now);

// Whether somebody holds it who has not let it run out. Pure.
bool lives(const SeenHolder& seen, std::chrono::steady_clock::time_point now);

// On the loop's thread.
class OperatorWatch {
 public:
  // All of them outlive it.
  OperatorWatch(kube::Client& client, std::string namespace_name, std::string name,
                const runtime::Clock& clock, runtime::Logger& logger);

  // How long an answer is good for: somebody may have begun to lead behind a server that answers
  // no more. As long as that operator's lease lasts.
  static constexpr std::chrono::seconds kGood{15};

  // Asks the API server once. What cannot be asked stays as it was, for so long.
  aio::Task<> look();

  // Why what it would do must not be done by us: it leads, or nobody knows. Nothing: it does not.
  std::optional<std::string> leads() const;

  // It counts as leading only because its Lease was not watched for long enough: ask again.
  bool is_undecided() const { return is_held_ && !seen_->has_changed; }

 private:
  kube::Client& client_;
  const std::string namespace_name_;
  const std::string name_;
  const runtime::Clock& clock_;
  runtime::Logger& logger_;
  std::optional<std::chrono::steady_clock::time_point>
      known_;                       // when the last answer was asked for
  std::optional<SeenHolder> seen_;  // by the last answer; nothing: there is no such Lease
  bool is_held_ = false;            // by the last answer, by somebody who lives
  std::string last_error_;
};

}  // namespace dynamo::reconciler
