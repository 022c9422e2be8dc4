#include "aio/task_group.hpp"

#include <atomic>
#include <future>
#include <stdexcept>
#include <thread>

#include "aio/pause.hpp"
#include "tests/kube/kube_fixture.hpp"

namespace dynamo::aio {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

class TaskGroupTest : public kube::KubeTest {
 protected:
  static Task<> wait_for_ever(int& started, int& ended) {
    ++started;
    for (bool more = true; more;) more = co_await pause(hours(1));
    ++ended;
  }
};

TEST_F(TaskGroupTest, StopCancelsTasksAndWaitsForThem) {
  int started = 0;
  int ended = 0;
  TaskGroup group(loop_, logger_);
  for (int i = 0; i < 3; ++i) {
    group.spawn("waits", [&] { return wait_for_ever(started, ended); });
  }
  ASSERT_TRUE(test::run_until(loop_, [&] { return started == 3; }));
  group.stop();
  EXPECT_EQ(ended, 3);
  EXPECT_TRUE(logger_.lines().empty());
}

TEST_F(TaskGroupTest, NothingStartsAfterStop) {
  int started = 0;
  int ended = 0;
  TaskGroup group(loop_, logger_);
  group.spawn("before", [&] { return wait_for_ever(started, ended); });
  group.stop();
  group.spawn("after", [&] { return wait_for_ever(started, ended); });
  loop_.poll();
  EXPECT_EQ(started, 0);
}

TEST_F(TaskGroupTest, ExceptionEndsOnlyItsTaskAndIsLogged) {
  int started = 0;
  int ended = 0;
  TaskGroup group(loop_, logger_);
  group.spawn("broken", []() -> Task<> {
    throw std::runtime_error("out of paper");
    co_return;
  });
  group.spawn("waits", [&] { return wait_for_ever(started, ended); });
  ASSERT_TRUE(test::run_until(loop_, [&] { return logger_.lines().size() == 1; }));
  EXPECT_EQ(logger_.lines()[0].level, runtime::Level::kError);
  EXPECT_THAT(logger_.lines()[0].fields, HasSubstr(R"("task":"broken","what":"out of paper")"));
  EXPECT_EQ(ended, 0);
}

TEST_F(TaskGroupTest, FailedTaskIsRestartedAfterPause) {
  int starts = 0;
  bool goes_on = false;
  TaskGroup group(loop_, logger_,
                  {.first_pause = milliseconds(1), .longest_pause = milliseconds(2)});
  group.spawn("broken", [&]() -> Task<> {
    if (++starts < 4) throw std::runtime_error("out of paper");
    goes_on = true;
    co_await pause(hours(1));
  });
  ASSERT_TRUE(test::run_until(loop_, [&] { return goes_on; }));
  EXPECT_EQ(starts, 4);
  EXPECT_EQ(logger_.lines().size(), 3U);
  group.stop();
  EXPECT_EQ(starts, 4);
}

TEST_F(TaskGroupTest, FinishedTaskIsNotRestarted) {
  int starts = 0;
  TaskGroup group(loop_, logger_, {.first_pause = milliseconds(0)});
  group.spawn("ends", [&]() -> Task<> {
    ++starts;
    co_return;
  });
  loop_.run();
  EXPECT_EQ(starts, 1);
}

TEST_F(TaskGroupTest, StopDoesNotWaitForRestartPause) {
  int starts = 0;
  TaskGroup group(loop_, logger_, {.first_pause = hours(1), .longest_pause = hours(1)});
  group.spawn("broken", [&]() -> Task<> {
    ++starts;
    throw std::runtime_error("out of paper");
    co_return;
  });
  ASSERT_TRUE(test::run_until(loop_, [&] { return logger_.lines().size() == 1; }));
  group.stop();
  EXPECT_EQ(starts, 1);
  EXPECT_EQ(logger_.lines().size(), 1U) << "nothing of a task that did not end";
}

TEST_F(TaskGroupTest, BodyLivesAsLongAsItsCoroutine) {
  int sum = 0;
  TaskGroup group(loop_, logger_);
  const std::string text = "long enough that it lies on the heap, where a sanitizer looks";
  group.spawn("captures", [&sum, text]() -> Task<> {
    co_await pause(std::chrono::milliseconds(1));
    sum = static_cast<int>(text.size());
  });
  ASSERT_TRUE(test::run_until(loop_, [&] { return sum != 0; }));
  EXPECT_EQ(sum, static_cast<int>(text.size()));
}

TEST_F(TaskGroupTest, StopWorksWhileAnotherThreadRunsLoop) {
  std::promise<void> has_started;
  std::atomic<bool> ended = false;
  TaskGroup group(loop_, logger_);
  auto work = boost::asio::make_work_guard(loop_);
  std::thread thread([this] { loop_.run(); });
  group.spawn("waits", [&]() -> Task<> {
    has_started.set_value();
    for (bool more = true; more;) more = co_await pause(hours(1));
    ended = true;
  });
  has_started.get_future().wait();
  group.stop();
  EXPECT_TRUE(ended);
  work.reset();
  thread.join();
}

TEST_F(TaskGroupTest, StopWorksAfterLoopWasStopped) {
  std::promise<void> has_started;
  std::atomic<bool> ended = false;
  TaskGroup group(loop_, logger_);
  std::thread thread([this, work = boost::asio::make_work_guard(loop_)] { loop_.run(); });
  group.spawn("waits", [&]() -> Task<> {
    has_started.set_value();
    for (bool more = true; more;) more = co_await pause(hours(1));
    ended = true;
  });
  has_started.get_future().wait();
  loop_.stop();
  thread.join();
  group.stop();
  EXPECT_TRUE(ended);
  EXPECT_TRUE(loop_.stopped());
}

}  // namespace
}  // namespace dynamo::aio
