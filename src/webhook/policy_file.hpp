// The policy file of a running server: read at start, followed while it changes.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "admission/policy.hpp"
#include "aio/file_follower.hpp"
#include "certs/reload_state.hpp"
#include "runtime/log.hpp"

namespace dynamo::webhook {

// poll() and start() belong to the control loop's thread, or to any while that loop does not run;
// the rest to any thread. A file that is bad or gone is logged and counted, and the policy before
// it stays.
class PolicyFile {
 public:
  // Reads nothing yet. An empty path is no policy at all. `logger` must outlive this.
  PolicyFile(std::string path, runtime::Logger& logger);

  // Reads at once, then on `loop` at each change and each interval. `loop` must outlive this.
  void start(boost::asio::io_context& loop);

  // Looks now. What start() does again and again.
  void poll();

  // Changes whenever current() does: lets a reader keep what it has without asking for it.
  std::uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

  // Null as long as there is none.
  std::shared_ptr<const admission::Policy> current() const;

  // Contents refused so far.
  std::uint64_t reload_errors() const { return state_.errors(); }

 private:
  const std::string path_;
  runtime::Logger& logger_;
  certs::ReloadState state_;
  std::unique_ptr<aio::FileFollower> follower_;
  std::atomic<std::uint64_t> generation_{0};
  mutable std::mutex mutex_;  // for the copy of one pointer after a change, never on every request
  std::shared_ptr<const admission::Policy> current_;
};

}  // namespace dynamo::webhook
