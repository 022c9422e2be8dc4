#include "aio/file_follower.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <utility>

#include "aio/directory_watch.hpp"
#include "aio/handler_memory.hpp"

namespace dynamo::aio {

// Shared with the handlers, so that a handler still queued after the follower's end finds `check`
// empty.
struct FileFollower::State : std::enable_shared_from_this<State> {
  State(boost::asio::io_context& loop, FollowerOptions given, std::function<void()> given_check)
      : options(given), check(std::move(given_check)), interval_timer(loop), settle_timer(loop) {}

  void begin(boost::asio::io_context& loop, std::vector<std::string> directories) {
    watch.emplace(loop, std::move(directories), [this] { settle(); });
    wait_interval();
  }

  void end() {
    check = nullptr;
    watch.reset();
    interval_timer.cancel();
    settle_timer.cancel();
  }

  // The next wait begins before anything can throw, so that no failed allocation ends the polling.
  void wait_interval() {
    interval_timer.expires_after(options.poll_interval);
    interval_timer.async_wait(in_memory(
        interval_memory, [self = shared_from_this()](const boost::system::error_code& error) {
          if (error || !self->check) return;
          self->wait_interval();
          self->renew_and_check();
        }));
  }

  // Events during the delay do not extend it.
  void settle() {
    if (settling) return;
    settling = true;
    settle_timer.expires_after(options.settle_delay);
    settle_timer.async_wait(in_memory(
        settle_memory, [self = shared_from_this()](const boost::system::error_code& error) {
          self->settling = false;
          if (!error && self->check) self->renew_and_check();
        }));
  }

  // Renews the watch before the callback, so that no change is missed in between.
  void renew_and_check() {
    watch->renew();
    // A copy, because the call may end the follower.
    const std::function<void()> called = check;
    called();
  }

  const FollowerOptions options;
  std::function<void()> check;
  const std::shared_ptr<HandlerMemory> interval_memory = std::make_shared<HandlerMemory>();
  const std::shared_ptr<HandlerMemory> settle_memory = std::make_shared<HandlerMemory>();
  boost::asio::steady_timer interval_timer;
  boost::asio::steady_timer settle_timer;
  std::optional<DirectoryWatch> watch;
  bool settling = false;
};

FileFollower::FileFollower(boost::asio::io_context& loop, std::vector<std::string> directories,
                           FollowerOptions options, std::function<void()> check)
    : state_(std::make_shared<State>(loop, options, std::move(check))) {
  state_->begin(loop, std::move(directories));
}

FileFollower::~FileFollower() {
  state_->end();
}

}  // namespace dynamo::aio
