#include "reconciler/policy_follower.hpp"

#include <utility>
#include <vector>

#include "runtime/read_file.hpp"

namespace dynamo::reconciler {

namespace {

struct Content {
  std::string text;
  std::string problem;  // why there is no text
};

Content read_content(const std::string& path) {
  runtime::ReadFile file = runtime::read_file(path, admission::kMaxPolicyBytes);
  if (file.content) return {*std::move(file.content), ""};
  return {"", path + ": " + (file.problem.empty() ? "is missing" : file.problem)};
}

std::string joined(const std::string& path, const std::vector<admission::PolicyError>& errors) {
  std::string text;
  for (const admission::PolicyError& error : errors) {
    if (!text.empty()) text += '\n';
    text += path + ": " + error.message();
  }
  return text;
}

}  // namespace

std::optional<std::string> policy_file_problem(const std::string& path) {
  if (path.empty()) return std::nullopt;
  const Content content = read_content(path);
  if (!content.problem.empty()) return content.problem;
  const admission::ReadPolicy read = admission::read_policy(content.text);
  if (read.policy) return std::nullopt;
  return joined(path, read.errors);
}

PolicyFollower::PolicyFollower(std::string path, runtime::Logger& logger)
    : path_(std::move(path)), logger_(logger) {}

std::optional<std::string> PolicyFollower::lacks() const {
  if (path_.empty() || policy_) return std::nullopt;
  return complaint_;
}

bool PolicyFollower::look() {
  if (path_.empty()) return false;
  Content content = read_content(path_);
  if (!content.problem.empty()) {
    refuse(content.problem);
    return false;
  }
  if (policy_ && complaint_.empty() && content.text == text_) return false;
  admission::ReadPolicy read = admission::read_policy(content.text);
  if (!read.policy) {
    refuse(joined(path_, read.errors));
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

void PolicyFollower::refuse(const std::string& why) {
  if (why == complaint_) return;
  complaint_ = why;
  ++errors_;
  logger_.log(runtime::Level::kError,
              policy_ ? "the policy cannot be used, and the one before stays"
                      : "the policy cannot be used, and nothing is judged before it can",
              {{"error", why}});
}

}  // namespace dynamo::reconciler
