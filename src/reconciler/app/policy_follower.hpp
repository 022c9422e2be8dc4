// Follows the policy file of a running reconciler: reads it at the start and after each change.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "admission/policy.hpp"
#include "runtime/log.hpp"

namespace dynamo::reconciler {

// On the loop's thread. If the file is invalid or missing, the error is logged and counted, and the
// previous policy stays in use.
class PolicyFollower {
 public:
  // An empty path means no policy. `logger` must outlive it.
  PolicyFollower(std::string path, runtime::Logger& logger);

  // Reads the file. Returns true if the policy changed since the last read.
  bool reload();

  const std::shared_ptr<const admission::Policy>& policy() const { return policy_; }
  // Why there is no policy although one is configured; nullopt otherwise.
  std::optional<std::string> missing_reason() const;
  std::uint64_t errors() const { return errors_; }

 private:
  void report_error(const std::string& why);

  const std::string path_;
  runtime::Logger& logger_;
  std::shared_ptr<const admission::Policy> policy_;
  std::string text_;       // of the last policy that was loaded
  std::string complaint_;  // last logged error; empty: none
  std::uint64_t errors_ = 0;
};

}  // namespace dynamo::reconciler
