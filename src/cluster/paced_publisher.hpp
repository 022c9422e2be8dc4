// Publishes what is made anew after changes: at once after the first, and those that come soon
// after it together.
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
#include "runtime/published.hpp"

namespace dynamo::cluster {

// Everything on the loop's thread.
template <class T>
class PacedPublisher {
 public:
  using Make = std::function<std::unique_ptr<const T>()>;

  // Changes are published once per `pace` at most: in a large cluster there is one every few
  // milliseconds, and each value holds everything. `loop` and `published` must outlive this.
  PacedPublisher(boost::asio::io_context& loop, runtime::Published<T>& published,
                 std::chrono::milliseconds pace, Make make)
      : published_(published), pace_(pace), make_(std::move(make)), change_(loop), pause_(loop) {}

  // What is made from now on differs from what was published.
  void changed() {
    is_changed_ = true;
    change_.cancel();
  }

  // Without waiting for run().
  void publish() {
    is_changed_ = false;
    published_.publish(make_());
    ++publications_;
  }

  // Publishes what changed() has told, until it is cancelled. Spawn it once.
  aio::Task<> run() {
    for (;;) {
      published_.collect();
      const bool is_crowded = published_.retired() >= kMostRetired;
      if (is_changed_ && !is_crowded) {
        publish();
        co_await wait(pause_, pace_);
      } else if (is_crowded) {
        co_await wait(pause_, pace_);
      } else {
        // A value that a reader held at the last look is freed at the next one.
        const std::chrono::milliseconds at_most =
            published_.retired() > 0 ? pace_ : std::chrono::hours(1);
        co_await wait(change_, at_most);
      }
    }
  }

  std::uint64_t publications() const { return publications_; }

 private:
  // Replaced values that a reader still holds; beyond it the next one waits.
  static constexpr std::size_t kMostRetired = 4;

  // Ends early, without saying so, when the timer or the coroutine is cancelled; of the latter the
  // next co_await tells.
  static aio::Task<> wait(boost::asio::steady_timer& timer, std::chrono::milliseconds duration) {
    boost::system::error_code cancelled;
    timer.expires_after(duration);
    co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, cancelled));
  }

  runtime::Published<T>& published_;
  const std::chrono::milliseconds pace_;
  const Make make_;
  boost::asio::steady_timer change_;  // cancelled to say that there is one
  boost::asio::steady_timer pause_;
  bool is_changed_ = false;
  std::uint64_t publications_ = 0;
};

}  // namespace dynamo::cluster
