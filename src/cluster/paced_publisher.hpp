// Publishes a value that is rebuilt after changes: immediately after the first change, then at most
// once per pace.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "aio/task.hpp"
#include "runtime/rcu_cell.hpp"

namespace dynamo::cluster {

// On the loop's thread.
template <class T>
class PacedPublisher {
 public:
  using BuildValue = std::function<std::unique_ptr<const T>()>;

  // Publishes at most once per `pace`: a large cluster has a change every few milliseconds, and
  // each value contains everything. `loop` and `published` must outlive this.
  PacedPublisher(boost::asio::io_context& loop, runtime::RcuCell<T>& published,
                 std::chrono::milliseconds pace, BuildValue build)
      : published_(published), pace_(pace), build_(std::move(build)), change_(loop), pause_(loop) {}

  // Marks the published value as outdated.
  void changed() {
    is_changed_ = true;
    change_.cancel();
  }

  // Publishes without waiting for run().
  void publish() {
    is_changed_ = false;
    published_.publish(build_());
    ++publications_;
  }

  // Publishes after changed(), until it is cancelled. Spawn it once.
  aio::Task<> run() {
    for (;;) {
      published_.collect();
      const bool is_crowded = published_.retired() >= kMaxRetired;
      if (is_changed_ && !is_crowded) {
        publish();
        co_await wait(pause_, pace_);
      } else if (is_crowded) {
        co_await wait(pause_, pace_);
      } else {
        // Polls to free values that a reader held during the last collect().
        const std::chrono::milliseconds at_most =
            published_.retired() > 0 ? pace_ : std::chrono::hours(1);
        co_await wait(change_, at_most);
      }
    }
  }

  std::uint64_t publications() const { return publications_; }

 private:
  // Limit of replaced values that a reader still holds; publishing waits above it.
  static constexpr std::size_t kMaxRetired = 4;

  // Returns early if the timer or the coroutine is cancelled. In the second case the next co_await
  // throws.
  static aio::Task<> wait(boost::asio::steady_timer& timer, std::chrono::milliseconds duration) {
    boost::system::error_code cancelled;
    timer.expires_after(duration);
    co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, cancelled));
  }

  runtime::RcuCell<T>& published_;
  const std::chrono::milliseconds pace_;
  const BuildValue build_;
  boost::asio::steady_timer change_;  // cancelled by changed()
  boost::asio::steady_timer pause_;
  bool is_changed_ = false;
  std::uint64_t publications_ = 0;
};

}  // namespace dynamo::cluster
