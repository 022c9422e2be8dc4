#include "aio/time_limit.hpp"

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

class TimeLimitTest : public ::testing::Test {
 protected:
  // Records whether it ran to its end.
  Task<> wait_for(milliseconds length) {
    begun_ = true;
    const bool waited = co_await pause(length);
    over_ = waited ? "rested" : "cancelled";
  }

  boost::asio::io_context loop_;
  test::RecordingLogger logger_;
  bool begun_ = false;
  std::string over_;
};

TEST_F(TimeLimitTest, TaskWithinLimitIsUnaffected) {
  EXPECT_TRUE(test::run(loop_, within(hours(1), wait_for(milliseconds(1)))));
  EXPECT_EQ(over_, "rested");
}

TEST_F(TimeLimitTest, LateTaskIsCancelledBeforeOwnerContinues) {
  EXPECT_FALSE(test::run(loop_, within(milliseconds(5), wait_for(hours(1)))));
  EXPECT_EQ(over_, "cancelled");
}

TEST_F(TimeLimitTest, ExceptionOfTaskPropagates) {
  const auto fails = []() -> Task<> {
    const bool waited = co_await pause(milliseconds(1));
    if (waited) throw std::runtime_error("a defect");
  };
  EXPECT_THROW(test::run(loop_, within(hours(1), fails())), std::runtime_error);
}

TEST_F(TimeLimitTest, CancellingOwnerCancelsTask) {
  TaskGroup group(loop_, logger_);
  std::optional<bool> ended;
  group.spawn("owner", [&]() -> Task<> { ended = co_await within(hours(1), wait_for(hours(1))); });
  ASSERT_TRUE(test::run_until(loop_, [this] { return begun_; }));
  group.stop();
  EXPECT_EQ(over_, "cancelled");
  EXPECT_NE(ended, false) << "its time was not over";
}

}  // namespace
}  // namespace dynamo::aio
