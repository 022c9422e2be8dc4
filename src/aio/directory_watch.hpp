// Reports changes in directories, by inotify. It complements polling and does not replace it: a
// path through symbolic links or a network file system may change without an event.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace boost::asio {
class io_context;
}

namespace dynamo::aio {

// Belongs to the thread that runs `loop`, or to any thread while the loop does not run.
class DirectoryWatch {
 public:
  // Calls `changed` on the loop, once for a burst of events. Empty and repeated names are skipped.
  DirectoryWatch(boost::asio::io_context& loop, std::vector<std::string> directories,
                 std::function<void()> changed);
  // No call follows.
  ~DirectoryWatch();
  DirectoryWatch(const DirectoryWatch&) = delete;
  DirectoryWatch& operator=(const DirectoryWatch&) = delete;

  // Watches the directories that the names refer to now. Call it periodically, since a directory
  // may be missing at first, or be replaced. Returns the number of watched directories.
  std::size_t renew();

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the waiting handler, which may outlive this
};

}  // namespace dynamo::aio
