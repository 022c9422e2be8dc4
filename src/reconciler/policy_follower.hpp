// The policy file of a running reconciler: read at the start, and again when its content changes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "admission/policy.hpp"
#include "runtime/log.hpp"

namespace dynamo::reconciler {

// On the loop's thread. A file that is bad or gone is logged and counted, and the policy before it
// stays.
class PolicyFollower {
 public:
  // An empty path is no policy at all. `logger` outlives it.
  PolicyFollower(std::string path, runtime::Logger& logger);

  // Looks now. True when there is another policy since the last look.
  bool look();

  const std::shared_ptr<const admission::Policy>& policy() const { return policy_; }
  // There is to be a policy, and was none so far: why.
  std::optional<std::string> lacks() const;
  std::uint64_t errors() const { return errors_; }

 private:
  void refuse(const std::string& why);

  const std::string path_;
  runtime::Logger& logger_;
  std::shared_ptr<const admission::Policy> policy_;
  std::string text_;       // of the last look, good or bad
  std::string complaint_;  // logged last; empty: all was well
  std::uint64_t errors_ = 0;
};

}  // namespace dynamo::reconciler
