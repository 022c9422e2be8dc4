// The policy file of a running program: read at the start, reloaded on change.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "admission/policy.hpp"
#include "aio/file_follower.hpp"
#include "runtime/log.hpp"
#include "runtime/reload_state.hpp"

namespace dynamo::process {

// Why the file cannot be used, one line per error; nullopt if it can, or if the path is empty (no
// policy). Never blocks. Any thread.
std::optional<std::string> policy_file_problem(const std::string& path);

struct PolicyFileOptions {
  runtime::RefusalMessages refusals{.with_older = "policy refused",
                                    .without_older = "policy refused"};
  std::chrono::milliseconds poll_interval = aio::FollowerOptions{}.poll_interval;
  std::function<void()> changed = [] {};  // called by poll() when current() has changed
};

// generation(), current() and reload_errors() are for any thread; the other members for the loop's
// thread, or for any thread while the loop does not run. A bad or deleted file is logged and
// counted, and the previous policy stays in use.
class PolicyFile {
 public:
  // Reads nothing yet. With an empty path there is no policy. `logger` must outlive this.
  PolicyFile(std::string path, runtime::Logger& logger, PolicyFileOptions options = {});

  // Reads immediately, then on `loop` at each change and interval. `loop` must outlive this.
  void start(boost::asio::io_context& loop);
  // Keeps the current policy until the next poll(). `changed` may call it.
  void stop() { follower_.reset(); }

  // Checks the file now; start() calls it repeatedly.
  void poll();

  // Changes whenever current() does: a reader can cache the policy and compare the generation.
  std::uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

  // Null if there is none.
  std::shared_ptr<const admission::Policy> current() const;

  // Why the newest content is not in use; empty if it is.
  const std::string& problem() const { return state_.problem(); }

  // Number of contents refused so far.
  std::uint64_t reload_errors() const { return state_.errors(); }

 private:
  const std::string path_;
  const PolicyFileOptions options_;
  runtime::Logger& logger_;
  runtime::ReloadState state_;
  std::unique_ptr<aio::FileFollower> follower_;
  std::atomic<std::uint64_t> generation_{0};
  mutable std::mutex mutex_;  // held to copy one pointer after a change, never on every request
  std::shared_ptr<const admission::Policy> current_;
};

}  // namespace dynamo::process
