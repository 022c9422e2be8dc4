#include "process/policy_text.hpp"

#include <utility>

#include "runtime/read_file.hpp"

namespace dynamo::process {

PolicyText read_policy_text(const std::string& path) {
  runtime::ReadFile file = runtime::read_file(path, admission::kMaxPolicyBytes);
  if (file.content) return {*std::move(file.content), ""};
  return {"", path + ": " + (file.problem.empty() ? "is missing" : file.problem)};
}

std::string in_lines(const std::string& path, const std::vector<admission::PolicyError>& errors) {
  std::string text;
  for (const admission::PolicyError& error : errors) {
    if (!text.empty()) text += '\n';
    text += path + ": " + error.message();
  }
  return text;
}

std::optional<std::string> policy_file_problem(const std::string& path) {
  if (path.empty()) return std::nullopt;
  const PolicyText content = read_policy_text(path);
  if (!content.problem.empty()) return content.problem;
  const admission::ReadPolicy read = admission::read_policy(content.text);
  if (read.policy) return std::nullopt;
  return in_lines(path, read.errors);
}

}  // namespace dynamo::process
