#include "reconciler/policy_follower.hpp"

#include <utility>

#include "runtime/read_file.hpp"

namespace dynamo::reconciler {

PolicyFollower::PolicyFollower(std::string path, runtime::Logger& logger)
    : path_(std::move(path)), logger_(logger) {}

bool PolicyFollower::look() {
  if (path_.empty()) return false;
  runtime::ReadFile file = runtime::read_file(path_, admission::kMaxPolicyBytes);
  if (!file.content) {
    refuse(path_ + ": " + (file.problem.empty() ? "is missing" : file.problem));
    return false;
  }
  if (policy_ && complaint_.empty() && *file.content == text_) return false;
  admission::ReadPolicy read = admission::read_policy(*file.content);
  if (!read.policy) {
    refuse(path_ + ": " + (read.errors.empty() ? "cannot be read" : read.errors.front().message()));
    return false;
  }
  complaint_.clear();
  if (policy_ && *file.content == text_) return false;
  text_ = *std::move(file.content);
  policy_ = std::make_shared<const admission::Policy>(*std::move(read.policy));
  logger_.log(runtime::Level::kInfo, "policy in use",
              {{"origin", path_},
               {"severities", policy_->severities().size()},
               {"exemptions", policy_->exemptions().size()},
               {"parameters", policy_->parameters().size()}});
  return true;
}

void PolicyFollower::refuse(const std::string& why) {
  if (why == complaint_) return;
  complaint_ = why;
  ++errors_;
  logger_.log(runtime::Level::kError, "the policy cannot be used, and the one before stays",
              {{"error", why}});
}

}  // namespace dynamo::reconciler
