// Start time of a request's ?timeout=. The rules: ADR 15.
#include "server/arrival.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include "aio/listen_socket.hpp"
#include "tests/server/server_fixture.hpp"

namespace dynamo::test {
namespace {

using namespace std::chrono_literals;
using server::ArrivalClock;
using testing::HasSubstr;

// The kernel's answer, and how often it was queried.
struct Kernel {
  static inline std::optional<std::chrono::milliseconds> waited;
  static inline int questions = 0;
  static std::optional<std::chrono::milliseconds> ask(int) {
    ++questions;
    return waited;
  }
};

class Arrivals : public ::testing::Test {
 protected:
  Arrivals() {
    Kernel::waited = 0ms;
    Kernel::questions = 0;
  }
  // Sends one request per `gap`, from now on.
  int questions_of(int requests, std::chrono::nanoseconds gap) {
    const int before = Kernel::questions;
    for (int request = 0; request < requests; ++request) {
      now_ += gap;
      arrivals_.arrived(0, now_);
    }
    return Kernel::questions - before;
  }

  ArrivalClock::TimePoint now_{1h};
  ArrivalClock arrivals_{&Kernel::ask};
};

TEST_F(Arrivals, ArrivalIsWhenKernelReceivedBytes) {
  Kernel::waited = 5s;
  EXPECT_EQ(arrivals_.arrived(0, now_), now_ - 5s);
}

TEST_F(Arrivals, ArrivalIsNowWithoutMeasurableWait) {
  EXPECT_EQ(arrivals_.arrived(0, now_), now_);
  Kernel::waited = ArrivalClock::kLeast - 1ms;
  EXPECT_EQ(arrivals_.arrived(0, now_), now_);
  Kernel::waited = std::nullopt;
  EXPECT_EQ(arrivals_.arrived(0, now_), now_);
}

TEST_F(Arrivals, KernelIsQueriedTenTimesASecond) {
  questions_of(2000, 1ms);
  const int asked = questions_of(1000, 1ms);
  EXPECT_LE(asked, 10);
  EXPECT_GE(asked, 9);
}

// One long request, then those that arrived during it; the first of them may be new.
TEST_F(Arrivals, KernelIsAskedAfterLongRequest) {
  questions_of(2000, 1ms);
  now_ += 500ms;
  EXPECT_EQ(arrivals_.arrived(0, now_), now_);
  Kernel::waited = 500ms;
  EXPECT_EQ(arrivals_.arrived(0, now_ + 1us), now_ + 1us - 500ms);
  Kernel::waited = 400ms;
  EXPECT_EQ(arrivals_.arrived(0, now_ + 100ms), now_ + 100ms - 400ms);
}

// A gap is more often idle time than a long request: then the requests after it cost a few queries.
TEST_F(Arrivals, AskingStopsAfterRequestsWithoutWait) {
  questions_of(2000, 1ms);
  now_ += 50ms;
  EXPECT_LE(questions_of(1000, 10us), ArrivalClock::kFreshRow + 1);
}

TEST_F(Arrivals, AskingResumesAfterNextGap) {
  questions_of(2000, 1ms);
  now_ += 500ms;
  questions_of(1000, 10us);
  Kernel::waited = 400ms;
  now_ += 500ms;
  EXPECT_EQ(arrivals_.arrived(0, now_), now_ - 400ms);
}

TEST_F(Arrivals, AskingContinuesDuringBacklog) {
  questions_of(2000, 1ms);
  Kernel::waited = 300ms;
  questions_of(101, 1ms);  // the sample finds it
  EXPECT_EQ(questions_of(3000, 1ms), 3000);
  Kernel::waited = 0ms;
  questions_of(1001, 1ms);
  EXPECT_LE(questions_of(1000, 1ms), 10);
}

TEST(TimeSinceReceived, IsReportedForTcpConnection) {
  const auto listener = aio::listen_on({"127.0.0.1", 0}).value();
  TcpClient client(aio::port_of(listener.get()));
  const auto wait_for_input = [](int socket) {
    pollfd wanted{socket, POLLIN, 0};
    ASSERT_EQ(::poll(&wanted, 1, 10'000), 1);
  };
  wait_for_input(listener.get());
  runtime::FileDescriptor accepted;
  ASSERT_EQ(aio::accept_one(listener.get(), accepted), aio::AcceptResult::kConnection);
  client.send("x");
  wait_for_input(accepted.get());
  // The bytes stay unread, and their age grows.
  const auto give_up = std::chrono::steady_clock::now() + 10s;
  while (server::time_since_received(accepted.get()).value() < 50ms) {
    ASSERT_LT(std::chrono::steady_clock::now(), give_up);
    ::poll(nullptr, 0, 1);
  }
  EXPECT_EQ(server::time_since_received(-1), std::nullopt);
}

class WaitingRequests : public ServerFixture {};

TEST_F(WaitingRequests, DeadlineIsReducedByWait) {
  time_since_received_ = [](int) { return std::optional<std::chrono::milliseconds>(5s); };
  start();
  EXPECT_THAT(connect()->ask(post("x", "/facts?timeout=10s")).body, HasSubstr("left=4000ms"));
}

TEST_F(WaitingRequests, ExpiredRequestIsNotHandled) {
  time_since_received_ = [](int) { return std::optional<std::chrono::milliseconds>(9s); };
  start();
  const auto client = connect();
  EXPECT_EQ(client->ask(post("x", "/facts?timeout=10s")).status, 503U);
  EXPECT_EQ(count(server::Limit::kDeadline), 1U);
}

}  // namespace
}  // namespace dynamo::test
