// Wake-up batching: when a loop pauses, and what happens to events during the pause.
#include "aio/wakeup_batching.hpp"

#include <gtest/gtest.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>

namespace dynamo::aio {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr WakeupBatching kAlwaysBusy{.length = milliseconds(5), .busy = std::chrono::hours(1)};
constexpr WakeupBatching kNeverBusy{.length = milliseconds(5), .busy = microseconds(0)};

class WakeupBatchingTest : public ::testing::Test {
 protected:
  // Two iterations: the second one starts after the first has ended.
  void run_two_iterations(const std::function<void()>& in_second) {
    boost::asio::post(loop_, [this, in_second] {
      ++ran_;
      run_later(later_, in_second);
    });
  }
  // In the next iteration.
  static void run_later(boost::asio::steady_timer& timer, const std::function<void()>& handler) {
    timer.expires_after(milliseconds(20));
    timer.async_wait([handler](const auto&) { handler(); });
  }

  boost::asio::io_context loop_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      loop_.get_executor()};
  boost::asio::steady_timer later_{loop_};
  int ran_ = 0;
  int waits_ = 0;
};

TEST_F(WakeupBatchingTest, EventsDuringPauseAreHandledTogether) {
  run_two_iterations([this] { ++ran_; });
  run_with_wakeup_batching(loop_, kAlwaysBusy, [this](microseconds length) {
    EXPECT_EQ(length, kAlwaysBusy.length);
    if (++waits_ == 1) {
      EXPECT_EQ(ran_, 2) << "the first iteration has none before it, so it is not busy";
      for (int i = 0; i < 3; ++i) boost::asio::post(loop_, [this] { ++ran_; });
    } else {
      EXPECT_EQ(ran_, 5);
      loop_.stop();
    }
  });
  EXPECT_EQ(waits_, 2);
}

TEST_F(WakeupBatchingTest, FewIterationsInRowAreNotBusy) {
  run_two_iterations([this] { work_.reset(); });
  WakeupBatching batching = kAlwaysBusy;
  batching.busy_iterations = 1;
  run_with_wakeup_batching(loop_, batching, [this](microseconds) { ++waits_; });
  EXPECT_EQ(waits_, 0);
}

TEST_F(WakeupBatchingTest, LoopIsBusyAfterEnoughIterations) {
  boost::asio::steady_timer last(loop_);
  run_two_iterations([&] {
    ++ran_;
    run_later(last, [this] { ++ran_; });
  });
  WakeupBatching batching = kAlwaysBusy;
  batching.busy_iterations = 1;
  run_with_wakeup_batching(loop_, batching, [this](microseconds) {
    ++waits_;
    EXPECT_EQ(ran_, 3) << "the second iteration is the first that is close behind another";
    loop_.stop();
  });
  EXPECT_EQ(waits_, 1);
}

TEST_F(WakeupBatchingTest, IdleLoopDelaysNothing) {
  run_two_iterations([this] { work_.reset(); });
  run_with_wakeup_batching(loop_, kNeverBusy, [this](microseconds) { ++waits_; });
  EXPECT_EQ(ran_, 1);
  EXPECT_EQ(waits_, 0);
}

TEST_F(WakeupBatchingTest, StoppedLoopDoesNotPause) {
  run_two_iterations([this] { loop_.stop(); });
  run_with_wakeup_batching(loop_, kAlwaysBusy, [this](microseconds) { ++waits_; });
  EXPECT_EQ(waits_, 0);
}

}  // namespace
}  // namespace dynamo::aio
