#include "process/policy_file.hpp"

#include <filesystem>
#include <utility>
#include <vector>

#include "runtime/read_file.hpp"

namespace dynamo::process {
namespace {

struct PolicyText {
  std::string text;
  std::string problem;  // why there is no text, with the path
};

PolicyText read_policy_text(const std::string& path) {
  runtime::ReadFile file = runtime::read_file(path, admission::kMaxPolicyBytes);
  if (file.content) return {*std::move(file.content), ""};
  return {"", path + ": " + (file.problem.empty() ? "is missing" : file.problem)};
}

std::string directory_of(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

}  // namespace

std::optional<std::string> policy_file_problem(const std::string& path) {
  if (path.empty()) return std::nullopt;
  const PolicyText content = read_policy_text(path);
  if (!content.problem.empty()) return content.problem;
  const admission::ReadPolicy read = admission::read_policy(content.text);
  if (read.policy) return std::nullopt;
  return admission::describe_errors(path, read.errors);
}

PolicyFile::PolicyFile(std::string path, runtime::Logger& logger, PolicyFileOptions options)
    : path_(std::move(path)),
      options_(std::move(options)),
      logger_(logger),
      state_("policy", options_.refusals, logger) {}

void PolicyFile::start(boost::asio::io_context& loop) {
  if (path_.empty()) return;
  follower_ = std::make_unique<aio::FileFollower>(
      loop, std::vector<std::string>{directory_of(path_)},
      aio::FollowerOptions{.poll_interval = options_.poll_interval}, [this] { poll(); });
  poll();
}

void PolicyFile::poll() {
  if (path_.empty()) return;
  const PolicyText content = read_policy_text(path_);
  // The whole text is small enough to be its own digest.
  const std::string digest =
      content.problem.empty() ? "text " + content.text : "problem " + content.problem;
  if (state_.is_loaded(digest)) return;
  const bool in_use = generation() > 0;
  if (!content.problem.empty()) return state_.refused(digest, content.problem, in_use);
  admission::ReadPolicy read = admission::read_policy(content.text);
  if (!read.policy)
    return state_.refused(digest, admission::describe_errors(path_, read.errors), in_use);
  auto next = std::make_shared<const admission::Policy>(std::move(*read.policy));
  logger_.log(runtime::Level::kInfo, "policy in use",
              {{"origin", path_},
               {"severities", next->severities().size()},
               {"exemptions", next->exemptions().size()},
               {"parameters", next->parameters().size()}});
  state_.loaded(digest);
  {
    const std::lock_guard lock(mutex_);
    current_.swap(next);
  }
  generation_.fetch_add(1, std::memory_order_release);
  options_.changed();
}

std::shared_ptr<const admission::Policy> PolicyFile::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

}  // namespace dynamo::process
