// Has files looked at again whenever their directories change, and from time to time in any case.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace boost::asio {
class io_context;
}

namespace dynamo::aio {

struct FollowerOptions {
  // How often the files are looked at even if no event came; real time, also under a fake clock.
  std::chrono::milliseconds poll_interval = std::chrono::seconds(10);
  // How long after an event they are looked at: writers change several files in a row.
  std::chrono::milliseconds settle_delay = std::chrono::milliseconds(100);
};

// Belongs to the thread that runs `loop`, or to any while the loop does not run.
class FileFollower {
 public:
  // Calls `look` on the loop, never from here: look once yourself afterwards, so that no change
  // falls between the two. `loop` must outlive it.
  FileFollower(boost::asio::io_context& loop, std::vector<std::string> directories,
               FollowerOptions options, std::function<void()> look);
  // No call comes after it.
  ~FileFollower();
  FileFollower(const FileFollower&) = delete;
  FileFollower& operator=(const FileFollower&) = delete;

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the waiting handlers, which may outlive this
};

}  // namespace dynamo::aio
