#include "aio/file_follower.hpp"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <fstream>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "tests/support/temporary_directory.hpp"

namespace dynamo::aio {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

// Runs the loop, over exceptions, until `check` was called `wanted` times.
void run_until(boost::asio::io_context& loop, const int& calls, int wanted) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (calls < wanted && std::chrono::steady_clock::now() < end) {
    try {
      loop.run_one_for(std::chrono::seconds(10));
    } catch (const std::bad_alloc&) {
      continue;
    }
  }
  EXPECT_EQ(calls, wanted);
}

TEST(FileFollower, PollingSurvivesFailedAllocation) {
  boost::asio::io_context loop;
  int calls = 0;
  const FileFollower follower(loop, {}, {.poll_interval = milliseconds(1)}, [&calls] {
    ++calls;
    throw std::bad_alloc();
  });
  run_until(loop, calls, 3);
}

TEST(FileFollower, EventsSurviveFailedAllocation) {
  const test::TemporaryDirectory directory;
  boost::asio::io_context loop;
  int calls = 0;
  const FileFollower follower(loop, {directory.path().string()},
                              {.poll_interval = hours(1), .settle_delay = milliseconds(1)},
                              [&calls] {
                                ++calls;
                                throw std::bad_alloc();
                              });
  for (int change = 1; change <= 3; ++change) {
    std::ofstream(directory.path() / "file") << change;
    run_until(loop, calls, change);
  }
}

TEST(FileFollower, CheckMayEndItsOwnFollower) {
  boost::asio::io_context loop;
  int calls = 0;
  std::unique_ptr<FileFollower> follower;
  follower = std::make_unique<FileFollower>(loop, std::vector<std::string>{},
                                            FollowerOptions{.poll_interval = milliseconds(1)}, [&] {
                                              ++calls;
                                              follower.reset();
                                            });
  loop.run();
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace dynamo::aio
