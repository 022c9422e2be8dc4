#include "reconciler/app/policy_follower.hpp"

#include <utility>

#include "process/policy_text.hpp"

namespace dynamo::reconciler {

PolicyFollower::PolicyFollower(std::string path, runtime::Logger& logger)
    : path_(std::move(path)), logger_(logger) {}

std::optional<std::string> PolicyFollower::missing_reason() const {
  if (path_.empty() || policy_) return std::nullopt;
  return complaint_;
}

bool PolicyFollower::reload() {
  if (path_.empty()) return false;
  process::PolicyText content = process::read_policy_text(path_);
  if (!content.problem.empty()) {
    report_error(content.problem);
    return false;
  }
  if (policy_ && complaint_.empty() && content.text == text_) return false;
  admission::ReadPolicy read = admission::read_policy(content.text);
  if (!read.policy) {
    report_error(process::in_lines(path_, read.errors));
    return false;
  }
  complaint_.clear();
  if (policy_ && content.text == text_) return false;
  text_ = std::move(content.text);
  policy_ = std::make_shared<const admission::Policy>(*std::move(read.policy));
  logger_.log(runtime::Level::kInfo, "policy in use",
              {{"origin", path_},
               {"severities", policy_->severities().size()},
               {"exemptions", policy_->exemptions().size()},
               {"parameters", policy_->parameters().size()}});
  return true;
}

void PolicyFollower::report_error(const std::string& why) {
  if (why == complaint_) return;
  complaint_ = why;
  ++errors_;
  logger_.log(runtime::Level::kError,
              policy_ ? "the policy is invalid; the previous one stays in use"
                      : "the policy is invalid; no object is validated until it is fixed",
              {{"error", why}});
}

}  // namespace dynamo::reconciler
