#include "webhook/policy_file.hpp"

#include <filesystem>
#include <utility>

#include "certs/content_digest.hpp"
#include "process/policy_text.hpp"

namespace dynamo::webhook {
namespace {

std::string directory_of(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

}  // namespace

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
  const process::PolicyText content = process::read_policy_text(path_);
  const std::string digest = certs::ContentDigest().add(content.problem).add(content.text).finish();
  if (state_.is_loaded(digest)) return;
  const bool in_use = generation() > 0;
  if (!content.problem.empty()) return state_.refused(digest, content.problem, in_use);
  admission::ReadPolicy read = admission::read_policy(content.text);
  if (!read.policy) return state_.refused(digest, process::in_lines(path_, read.errors), in_use);
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
