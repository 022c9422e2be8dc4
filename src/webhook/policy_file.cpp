#include "webhook/policy_file.hpp"

#include <filesystem>
#include <utility>
#include <variant>

#include "certs/file_io.hpp"

namespace dynamo::webhook {
namespace {

struct Content {
  std::string text;
  std::string problem;  // why there is no text
};

Content read_content(const std::string& path) {
  auto file = certs::read_file(path, admission::kMaxPolicyBytes);
  if (!file) return {"", file.error().text};
  if (!*file) return {"", path + ": is missing"};
  return {std::move(**file), ""};
}

std::string joined(const std::string& path, const std::vector<admission::PolicyError>& errors) {
  std::string text;
  for (const admission::PolicyError& error : errors) {
    if (!text.empty()) text += '\n';
    text += path + ": " + error.message();
  }
  return text;
}

std::string directory_of(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

}  // namespace

std::optional<std::string> policy_file_problem(const std::string& path) {
  const Content content = read_content(path);
  if (!content.problem.empty()) return content.problem;
  const admission::ReadPolicy read = admission::read_policy(content.text);
  if (read.policy) return std::nullopt;
  return joined(path, read.errors);
}

PolicyFile::PolicyFile(std::string path, runtime::Logger& logger)
    : path_(std::move(path)), logger_(logger), state_("policy", logger) {}

void PolicyFile::start(boost::asio::io_context& loop) {
  if (path_.empty()) return;
  follower_ =
      std::make_unique<aio::FileFollower>(loop, std::vector<std::string>{directory_of(path_)},
                                          aio::FollowerOptions{}, [this] { poll(); });
  poll();
}

void PolicyFile::poll() {
  if (path_.empty()) return;
  const Content content = read_content(path_);
  const std::string digest = certs::ContentDigest().add(content.problem).add(content.text).finish();
  if (state_.is_loaded(digest)) return;
  const bool in_use = generation() > 0;
  if (!content.problem.empty()) return state_.refused(digest, content.problem, in_use);
  admission::ReadPolicy read = admission::read_policy(content.text);
  if (!read.policy) return state_.refused(digest, joined(path_, read.errors), in_use);
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
}

std::shared_ptr<const admission::Policy> PolicyFile::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

}  // namespace dynamo::webhook
