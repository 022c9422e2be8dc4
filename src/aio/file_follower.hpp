// Calls a function when the directories of files change, and periodically.
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
  // Polling interval in addition to events; real time, also with a fake clock.
  std::chrono::milliseconds poll_interval = std::chrono::seconds(10);
  // Delay after an event: writers change several files in a row.
  std::chrono::milliseconds settle_delay = std::chrono::milliseconds(100);
};

// Belongs to the thread that runs `loop`, or to any thread while the loop does not run.
class FileFollower {
 public:
  // Calls `check` on the loop, never from the constructor: read the files once yourself afterwards,
  // so that no change is missed in between. `loop` must outlive it.
  FileFollower(boost::asio::io_context& loop, std::vector<std::string> directories,
               FollowerOptions options, std::function<void()> check);
  // No call follows. `check` may end its own follower.
  ~FileFollower();
  FileFollower(const FileFollower&) = delete;
  FileFollower& operator=(const FileFollower&) = delete;

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the waiting handlers, which may outlive this
};

}  // namespace dynamo::aio
