// The policy file of a running server: read at the start, reloaded on change.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "admission/policy.hpp"
#include "aio/file_follower.hpp"
#include "runtime/log.hpp"
#include "runtime/reload_state.hpp"

namespace dynamo::webhook {

// poll() and start() run on the control loop's thread, or on any thread while that loop does not
// run; the other members on any thread. A bad or deleted file is logged and counted, and the
// previous policy stays in use.
class PolicyFile {
 public:
  // Reads nothing yet. With an empty path there is no policy. `logger` must outlive this.
  PolicyFile(std::string path, runtime::Logger& logger);

  // Reads immediately, then on `loop` at each change and interval. `loop` must outlive this.
  void start(boost::asio::io_context& loop);

  // Checks the file now; start() calls it repeatedly.
  void poll();

  // Changes whenever current() does: a reader can cache the policy and compare the generation.
  std::uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

  // Null if there is none.
  std::shared_ptr<const admission::Policy> current() const;

  // Number of contents refused so far.
  std::uint64_t reload_errors() const { return state_.errors(); }

 private:
  const std::string path_;
  runtime::Logger& logger_;
  runtime::ReloadState state_;
  std::unique_ptr<aio::FileFollower> follower_;
  std::atomic<std::uint64_t> generation_{0};
  mutable std::mutex mutex_;  // held to copy one pointer after a change, never on every request
  std::shared_ptr<const admission::Policy> current_;
};

}  // namespace dynamo::webhook
