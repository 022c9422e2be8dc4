// Slow and silent clients, by a clock that the tests advance. A connection that stays quiet for 250
// ms has survived two sweeps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/server_fixture.hpp"

namespace dynamo::test {
namespace {

using server::TimeoutPhase;
using std::chrono::seconds;

constexpr std::chrono::milliseconds kTwoSweeps{250};
constexpr std::chrono::milliseconds kOne{1};

class Timeouts : public ServerFixture {
 protected:
  // Advances the clock to just before `timeout`, then just past it.
  void expect_only_after(TlsClient& client, std::chrono::milliseconds timeout) {
    let_the_loop_catch_up();
    clock_.tick(timeout - kOne);
    EXPECT_TRUE(client.stays_quiet_for(kTwoSweeps));
    clock_.tick(kOne);
  }
};

TEST_F(Timeouts, SlowHeaderGets408) {
  start();
  const auto client = connect();
  const auto other = connect();
  client->ask(post("x"));
  client->send("POST /echo HT");
  other->ask(post("x"));
  expect_only_after(*client, options_.limits.header_timeout);
  const ClientAnswer answer = client->read_answer();
  EXPECT_EQ(answer.status, 408U);
  EXPECT_EQ(answer.body, "the header must be complete within 5000 ms\n");
  EXPECT_TRUE(answer.closes_connection());
  EXPECT_EQ(client->read_to_end(), "");
  EXPECT_EQ(count(TimeoutPhase::kHeader), 1U);
  EXPECT_EQ(count_of_status(408), 1U);
  EXPECT_EQ(other->ask(post("fine")).body, "fine");
}

TEST_F(Timeouts, MoreHeaderBytesDoNotExtendTimeout) {
  start();
  const auto client = connect();
  client->ask(post("x"));
  client->send("POST /echo");
  let_the_loop_catch_up();
  clock_.tick(options_.limits.header_timeout - kOne);
  client->send(" HTTP");
  let_the_loop_catch_up();
  clock_.tick(kOne);
  EXPECT_EQ(client->read_answer().status, 408U);
}

TEST_F(Timeouts, SlowBodyGets408) {
  start();
  const auto client = connect();
  const auto other = connect();
  client->send(post_with("Content-Type: application/json\r\nContent-Length: 5\r\n", "he"));
  wait_until([this] { return counters_.requests_in_flight == 1; }, "the request");
  other->ask(post("x"));
  expect_only_after(*client, options_.limits.body_timeout);
  const ClientAnswer answer = client->read_answer();
  EXPECT_EQ(answer.status, 408U);
  EXPECT_EQ(answer.body, "the body must be complete within 30000 ms\n");
  EXPECT_TRUE(answer.closes_connection());
  EXPECT_EQ(client->read_to_end(), "");
  EXPECT_EQ(count(TimeoutPhase::kBody), 1U);
  EXPECT_EQ(counters_.requests_in_flight, 0);
  EXPECT_EQ(other->ask(post("fine")).body, "fine");
}

TEST_F(Timeouts, SlowChunksGet408) {
  start();
  const auto client = connect();
  client->send(
      post_with("Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n", "5\r\nhe"));
  wait_until([this] { return counters_.requests_in_flight == 1; }, "the request");
  let_the_loop_catch_up();
  clock_.tick(options_.limits.body_timeout);
  EXPECT_EQ(client->read_answer().status, 408U);
}

TEST_F(Timeouts, IdleConnectionIsClosedCleanly) {
  start();
  const auto client = connect();
  client->ask(post("x"));
  expect_only_after(*client, options_.limits.idle_timeout);
  EXPECT_EQ(client->read_to_end(), "");
  EXPECT_TRUE(client->was_closed_in_order());
  EXPECT_EQ(count(TimeoutPhase::kIdle), 1U);
}

TEST_F(Timeouts, ConnectionWithoutRequestIsClosedCleanly) {
  start();
  const auto client = connect();
  expect_only_after(*client, options_.limits.header_timeout);
  EXPECT_EQ(client->read_to_end(), "");
  EXPECT_TRUE(client->was_closed_in_order());
  EXPECT_EQ(count(TimeoutPhase::kHeader), 1U);
  EXPECT_EQ(count(TimeoutPhase::kIdle), 0U);
}

TEST_F(Timeouts, TimeoutRestartsWithEachRequest) {
  start();
  const auto client = connect();
  for (int request = 0; request < 3; ++request) {
    client->ask(post("x"));
    let_the_loop_catch_up();
    clock_.tick(options_.limits.idle_timeout - kOne);
    EXPECT_TRUE(client->stays_quiet_for(kTwoSweeps));
  }
  EXPECT_EQ(client->ask(post("alive")).body, "alive");
}

TEST_F(Timeouts, ClientThatDoesNotReadIsCut) {
  start();
  const auto client = connect();
  client->send(post("x", "/large"));
  wait_until([this] { return counters_.requests_in_flight == 0; }, "the answer to be made");
  let_the_loop_catch_up();
  clock_.tick(options_.limits.body_timeout);
  wait_until([this] { return count(TimeoutPhase::kWrite) == 1; }, "the timeout");
  EXPECT_LT(client->read_to_end().size(), 4U * 1024 * 1024);
  wait_until([this] { return counters_.connections_open == 0; }, "the connection to end");
}

TEST_F(Timeouts, WaitForPeersCloseIsLimited) {
  start();
  const auto client = connect();
  EXPECT_EQ(client->ask("garbage\r\n\r\n").status, 400U);
  let_the_loop_catch_up();
  EXPECT_GE(counters_.connections_open, 1);
  clock_.tick(seconds(2));
  wait_until([this] { return counters_.connections_open == 0; }, "the connection to be given up");
}

class RequestDeadlines : public ServerFixture {};

TEST_F(RequestDeadlines, LateBodyGets503AtDeadline) {
  start();
  const auto client = connect();
  client->send(post_with("Content-Type: application/json\r\nContent-Length: 5\r\n", "he",
                         "/echo?timeout=10s"));
  wait_until([this] { return counters_.requests_in_flight == 1; }, "the request");
  let_the_loop_catch_up();
  clock_.tick(seconds(9) - kOne);
  EXPECT_TRUE(client->stays_quiet_for(kTwoSweeps));
  clock_.tick(kOne);
  const ClientAnswer answer = client->read_answer();
  EXPECT_EQ(answer.status, 503U);
  EXPECT_EQ(answer.header("Retry-After"), "1");
  EXPECT_TRUE(answer.closes_connection());
  EXPECT_EQ(client->read_to_end(), "");
  EXPECT_EQ(count(server::Limit::kDeadline), 1U);
  EXPECT_EQ(count(TimeoutPhase::kBody), 0U);
}

TEST_F(RequestDeadlines, ExpiredRequestIsNeverHandled) {
  // Whether the sweep or the last byte comes first: the handler is not called.
  start();
  for (int attempt = 0; attempt < 20; ++attempt) {
    const auto next = connect();
    next->send(post_with("Content-Type: application/json\r\nContent-Length: 5\r\n", "he",
                         "/echo?timeout=1s"));
    wait_until([this] { return counters_.requests_in_flight == 1; }, "the request");
    clock_.tick(std::chrono::milliseconds(500));
    next->send("llo");
    EXPECT_EQ(next->read_answer().status, 503U);
    EXPECT_EQ(next->read_to_end(), "");
  }
  EXPECT_EQ(count(server::Limit::kDeadline), 20U);
}

}  // namespace
}  // namespace dynamo::test
