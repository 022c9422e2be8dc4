// Whether the Go operator leads, by the Lease with which its replicas elect their leader.
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

// Who holds that Lease, and lives: renewed lately enough at `now`. Pure.
std::optional<std::string> live_holder(const kube::Object& lease,
                                       std::chrono::system_clock::time_point now);

// On the loop's thread.
class OperatorWatch {
 public:
  // All of them outlive it; `clock` is the cluster's.
  OperatorWatch(kube::Client& client, std::string namespace_name, std::string name,
                const runtime::Clock& clock, runtime::Logger& logger);

  // How long an answer is good for: somebody may have begun to lead behind a server that answers
  // no more. As long as that operator's lease lasts.
  static constexpr std::chrono::seconds kGood{15};

  // Asks the API server once. What cannot be asked stays as it was, for so long.
  aio::Task<> look();

  // Why what it would do must not be done by us: it leads, or nobody knows. Nothing: it does not.
  std::optional<std::string> leads() const;

 private:
  kube::Client& client_;
  const std::string namespace_name_;
  const std::string name_;
  const runtime::Clock& clock_;
  runtime::Logger& logger_;
  std::optional<std::chrono::steady_clock::time_point>
      known_;  // when the last answer was asked for
  std::optional<std::string> holder_;
  std::string last_error_;
};

}  // namespace dynamo::reconciler
