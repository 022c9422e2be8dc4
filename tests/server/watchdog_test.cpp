// Detection of blocked event loops, by a clock that the test advances: first the detection, over
// simulated loops; then a server with a handler that blocks until the test releases it.
#include "server/watchdog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "tests/server/server_fixture.hpp"

namespace dynamo::test {
namespace {

using namespace std::chrono_literals;
using server::StalledConnection;
using server::Watchdog;
using testing::HasSubstr;

class WatchdogTest : public ::testing::Test {
 protected:
  WatchdogTest() {
    for (std::size_t loop = 0; loop < 2; ++loop) {
      watchdog_.watch("loop " + std::to_string(loop + 1), [this, loop](std::function<void()> task) {
        posted_[loop].push_back(std::move(task));
      });
    }
    watchdog_.check_loops();
  }
  void turn(std::size_t loop) {
    for (const auto& task : std::exchange(posted_[loop], {})) task();
  }
  // One second passes, after which the watchdog checks; the given loops are responsive.
  void second(std::initializer_list<std::size_t> turning) {
    for (const std::size_t loop : turning) turn(loop);
    clock_.tick(1s);
    watchdog_.check_loops();
  }
  void seconds(int count, std::initializer_list<std::size_t> turning) {
    for (int passed = 0; passed < count; ++passed) second(turning);
  }

  FakeClock clock_;
  RecordingLogger logger_;
  server::LoopCounters counters_;
  Watchdog watchdog_{counters_, logger_, clock_};
  std::vector<std::function<void()>> posted_[2];
};

TEST_F(WatchdogTest, ResponsiveLoopsAreNotReported) {
  seconds(100, {0, 1});
  EXPECT_EQ(watchdog_.problem(), std::nullopt);
  EXPECT_EQ(watchdog_.late_loops(0s), "");
  EXPECT_EQ(counters_.stalls, 0U);
}

TEST_F(WatchdogTest, LoopIsStuckAfterLongestDeadline) {
  second({0, 1});
  seconds(30, {0});
  EXPECT_FALSE(watchdog_.is_stuck(1));
  EXPECT_TRUE(watchdog_.is_late(1));
  seconds(2, {0});
  EXPECT_TRUE(watchdog_.is_stuck(1));
  EXPECT_FALSE(watchdog_.is_stuck(0));
  EXPECT_EQ(watchdog_.problem(), "loop 2 has not turned for more than 30 s");
  EXPECT_EQ(watchdog_.late_loops(1s), "loop 2");
  EXPECT_EQ(counters_.stuck, 1);
  seconds(100, {0});
  EXPECT_EQ(counters_.stalls, 1U);
  ASSERT_EQ(logger_.count("an event loop is stuck"), 1U);
  EXPECT_EQ(logger_.lines().back().fields, R"({"loop":"loop 2","for_seconds":32})");
}

TEST_F(WatchdogTest, RecoveryIsDetected) {
  seconds(40, {0});
  ASSERT_TRUE(watchdog_.is_stuck(1));
  second({0, 1});
  EXPECT_EQ(watchdog_.problem(), std::nullopt);
  EXPECT_EQ(counters_.stuck, 0);
  EXPECT_EQ(logger_.count("an event loop runs again"), 1U);
  seconds(40, {0});
  EXPECT_EQ(counters_.stalls, 2U);
}

TEST_F(WatchdogTest, LoopIsAskedOnlyOnce) {
  seconds(100, {0});
  EXPECT_EQ(posted_[1].size(), 1U);
}

// A suspended machine or a stopped process: the time has passed, but no loop could run.
TEST_F(WatchdogTest, PausedProcessDoesNotCountAsStuck) {
  second({0, 1});
  clock_.tick(1h);
  watchdog_.check_loops();
  EXPECT_EQ(watchdog_.problem(), std::nullopt);
  second({0, 1});
  EXPECT_EQ(watchdog_.problem(), std::nullopt);
  EXPECT_EQ(counters_.stalls, 0U);
}

TEST_F(WatchdogTest, ReleasedLoopsAreNotUsed) {
  turn(1);
  watchdog_.release();
  watchdog_.check_loops();
  EXPECT_TRUE(posted_[1].empty());
}

// Blocks callers until it is opened for good. Destroy it after all callers have left.
class Gate {
 public:
  Gate() = default;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() {
    open();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return left_ == inside_; });
  }

  void pass() {
    std::unique_lock lock(mutex_);
    ++inside_;
    changed_.wait(lock, [this] { return is_open_; });
    ++left_;
    changed_.notify_all();
  }
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  int inside() const {
    const std::lock_guard lock(mutex_);
    return inside_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false;
  int inside_ = 0;
  int left_ = 0;
};

class BlockingHandler final : public server::RequestHandler {
 public:
  explicit BlockingHandler(Gate& gate) : gate_(gate) {}
  bool knows(std::string_view) const override { return true; }
  void handle(const server::HttpRequest& request, server::HttpAnswer& answer) override {
    if (request.path == "/block") gate_.pass();
    answer.body = "done";
  }

 private:
  Gate& gate_;
};

class StuckLoops : public ServerFixture {
 protected:
  StuckLoops() {
    options_.watch_interval = 20ms;
    options_.threads = 2;
  }
  ~StuckLoops() override { gate_.open(); }

  void start() {
    start_with([this] { return std::make_unique<BlockingHandler>(gate_); });
  }
  // Uses its own client, whose request blocks its loop; unblocked loops are used alternately.
  void block_a_loop() {
    const int before = gate_.inside();
    blocked_.push_back(connect());
    blocked_.back()->send(post("x", "/block"));
    wait_until([&] { return gate_.inside() == before + 1; }, "a loop to block");
  }
  // Small steps at first, until only the blocked loops have a pending answer.
  void let_it_be_found(std::int64_t stuck) {
    wait_until(
        [&] {
          clock_.tick(10ms);
          const std::string late = server_->watchdog()->late_loops(Watchdog::kLateAfter);
          return std::ranges::count(late, ',') == stuck - 1 && !late.empty();
        },
        "an answer to be owed");
    clock_.tick(Watchdog::kStuckAfter + 1s);
    wait_until([&] { return counters_.loops.stuck == stuck; }, "the watchdog");
  }

  Gate gate_;
  std::vector<std::unique_ptr<TlsClient>> blocked_;
};

TEST_F(StuckLoops, LivenessFailsAndStuckLoopGetsNoConnections) {
  start();
  block_a_loop();
  let_it_be_found(1);
  EXPECT_THAT(server_->watchdog()->problem().value_or(""),
              HasSubstr(" of 2 has not turned for more than 30 s"));
  EXPECT_EQ(server_->unready_reason(), std::nullopt);
  std::vector<std::unique_ptr<TlsClient>> others;
  for (int client = 0; client < 8; ++client) {  // more than the stuck loop has
    others.push_back(connect());
    ASSERT_EQ(others.back()->ask(post("x")).status, 200U);
  }
  gate_.open();
  EXPECT_EQ(blocked_.front()->read_answer().body, "done");
  wait_until([this] { return counters_.loops.stuck == 0; }, "the loop to turn again");
  EXPECT_EQ(server_->watchdog()->problem(), std::nullopt);
  EXPECT_EQ(logger_.count("an event loop runs again"), 1U);
}

TEST_F(StuckLoops, UnstartedConnectionsMoveToOtherLoop) {
  start();
  block_a_loop();
  // The other loop has as many now; of the next two connections one is assigned to the blocked
  // loop.
  const auto second = connect();
  std::vector<std::future<unsigned>> clients;
  for (int client = 0; client < 2; ++client) {
    clients.push_back(
        std::async(std::launch::async, [this] { return connect()->ask(post("x")).status; }));
  }
  wait_until([this] { return counters_.connections_accepted == 4; }, "both connections");
  wait_until(
      [&] {
        clock_.tick(10ms);
        return counters_.loops.connections.value(StalledConnection::kMoved) >= 1;
      },
      "a connection to be moved");
  for (auto& client : clients) EXPECT_EQ(client.get(), 200U);
  gate_.open();
}

TEST_F(StuckLoops, ConnectionsAreClosedWhenAllLoopsAreStuck) {
  start();
  block_a_loop();
  block_a_loop();
  let_it_be_found(2);
  EXPECT_EQ(server_->unready_reason(), "all event loops are stuck");
  EXPECT_THROW(connect(), ClientError);
  EXPECT_EQ(counters_.loops.connections.value(StalledConnection::kClosed), 1U);
  gate_.open();
  wait_until([this] { return counters_.loops.stuck == 0; }, "the loops to turn again");
  EXPECT_EQ(connect()->ask(post("x")).status, 200U);
}

TEST_F(StuckLoops, StopAbandonsStuckLoops) {
  options_.drain_timeout = Milliseconds(10);
  start();
  block_a_loop();
  EXPECT_FALSE(server_->stop());
  EXPECT_FALSE(server_->stop());
  EXPECT_EQ(logger_.count("event loops are stuck and were abandoned"), 1U);
  gate_.open();
  server_.reset();
  EXPECT_EQ(counters_.connections_open, 0);
}

}  // namespace
}  // namespace dynamo::test
