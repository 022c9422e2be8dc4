#include "aio/interrupt.hpp"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>

#include "aio/pause.hpp"
#include "aio/task_group.hpp"
#include "tests/support/fake_cluster.hpp"
#include "tests/support/recording_logger.hpp"

namespace dynamo::aio {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

class InterruptTest : public ::testing::Test {
 protected:
  // Records whether it ran to its end.
  Task<> wait_for(milliseconds length) {
    begun_ = true;
    const bool waited = co_await pause(length);
    over_ = waited ? "rested" : "cancelled";
  }
  void spawn(milliseconds length) {
    group_.spawn("owner", [this, length]() -> Task<> {
      begun_ = false;
      ended_ = co_await interrupt_.await(wait_for(length));
    });
    ASSERT_TRUE(test::run_until(loop_, [this] { return begun_ || ended_; }));
  }
  bool ends() {
    return test::run_until(loop_, [this] { return ended_.has_value(); });
  }

  boost::asio::io_context loop_;
  test::RecordingLogger logger_;
  Interrupt interrupt_;
  bool begun_ = false;
  std::string over_;
  std::optional<bool> ended_;
  TaskGroup group_{loop_, logger_};
};

TEST_F(InterruptTest, CancelledTaskEndsBeforeOwnerContinues) {
  spawn(hours(1));
  interrupt_.ring();
  ASSERT_TRUE(ends());
  EXPECT_EQ(ended_, false);
  EXPECT_EQ(over_, "cancelled");
}

TEST_F(InterruptTest, RingWithoutAwaitHasNoEffect) {
  interrupt_.ring();
  spawn(milliseconds(1));
  ASSERT_TRUE(ends());
  EXPECT_EQ(ended_, true);
  EXPECT_EQ(over_, "rested");
  interrupt_.ring();
  ended_.reset();
  spawn(milliseconds(1));
  ASSERT_TRUE(ends());
  EXPECT_EQ(ended_, true);
}

TEST_F(InterruptTest, ExceptionOfTaskPropagates) {
  const auto fails = []() -> Task<> {
    const bool waited = co_await pause(milliseconds(1));
    if (waited) throw std::runtime_error("a defect");
  };
  EXPECT_THROW(test::run(loop_, interrupt_.await(fails())), std::runtime_error);
}

TEST_F(InterruptTest, CancellingOwnerCancelsTask) {
  spawn(hours(1));
  group_.stop();
  EXPECT_EQ(over_, "cancelled");
  EXPECT_NE(ended_, false) << "no interrupt arrived";
}

}  // namespace
}  // namespace dynamo::aio
