#include "aio/directory_watch.hpp"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <memory>
#include <utility>

#include "aio/handler_memory.hpp"

namespace dynamo::aio {
namespace {

// Reading a file raises none of these, so handling an event causes no new event.
constexpr std::uint32_t kEvents = IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB |
                                  IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

}  // namespace

struct DirectoryWatch::State : std::enable_shared_from_this<State> {
  struct WatchedDirectory {
    std::string path;
    int id = -1;
  };

  State(boost::asio::io_context& loop, std::function<void()> when_changed)
      : descriptor(loop), changed(std::move(when_changed)) {}

  void wait() {
    descriptor.async_wait(
        boost::asio::posix::descriptor_base::wait_read,
        in_memory(memory, [self = shared_from_this()](const boost::system::error_code& error) {
          if (error || !self->descriptor.is_open()) return;
          self->drain();
          self->wait();
          // A copy: the callback may destroy the watch, and with it the original.
          if (const auto call = self->changed) call();
        }));
  }

  // The events' details are ignored, since the content is compared anyway. Bounded: a directory
  // that changes constantly must not monopolise the loop; remaining events wake the next wait.
  void drain() {
    constexpr int kMaxReads = 16;
    std::array<char, 4096> events{};
    for (int i = 0; i < kMaxReads; ++i) {
      if (::read(descriptor.native_handle(), events.data(), events.size()) <= 0) return;
    }
  }

  const std::shared_ptr<HandlerMemory> memory = std::make_shared<HandlerMemory>();
  boost::asio::posix::stream_descriptor descriptor;
  std::vector<WatchedDirectory> directories;
  std::function<void()> changed;
};

DirectoryWatch::DirectoryWatch(boost::asio::io_context& loop, std::vector<std::string> directories,
                               std::function<void()> changed)
    : state_(std::make_shared<State>(loop, std::move(changed))) {
  std::sort(directories.begin(), directories.end());
  directories.erase(std::unique(directories.begin(), directories.end()), directories.end());
  for (std::string& path : directories) {
    if (!path.empty()) state_->directories.push_back({std::move(path), -1});
  }
  const int number = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (number < 0) return;  // the user's instance limit is reached: polling remains
  boost::system::error_code error;
  state_->descriptor.assign(number, error);
  if (error) {
    ::close(number);
    return;
  }
  renew();
  state_->wait();
}

DirectoryWatch::~DirectoryWatch() {
  state_->changed = nullptr;
  boost::system::error_code ignored;
  state_->descriptor.close(ignored);
}

std::size_t DirectoryWatch::renew() {
  if (!state_->descriptor.is_open()) return 0;
  const int inotify = state_->descriptor.native_handle();
  std::size_t watched = 0;
  for (State::WatchedDirectory& directory : state_->directories) {
    // The same directory gets the same id again; a directory that replaced it gets a new one.
    const int id = ::inotify_add_watch(inotify, directory.path.c_str(), kEvents);
    if (id != directory.id && directory.id >= 0) {
      static_cast<void>(::inotify_rm_watch(inotify, directory.id));
    }
    directory.id = id;
    if (id >= 0) ++watched;
  }
  return watched;
}

}  // namespace dynamo::aio
