// Valid requests, in every form that HTTP allows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/server/server_fixture.hpp"

namespace dynamo::test {
namespace {

using ::testing::HasSubstr;

class Requests : public ServerFixture {};

TEST_F(Requests, HandlersAnswerIsSent) {
  start();
  const ClientAnswer answer = connect()->ask(post(R"({"a":1})"));
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(answer.header("Content-Type"), "application/json");
  EXPECT_EQ(answer.body, R"({"a":1})");
  EXPECT_FALSE(answer.closes_connection());
}

TEST_F(Requests, ConnectionIsKept) {
  start();
  const auto client = connect();
  for (int request = 0; request < 50; ++request) {
    const std::string body = std::string(static_cast<std::size_t>(request) * 97, 'x') + "!";
    const ClientAnswer answer = client->ask(post(body));
    ASSERT_EQ(answer.status, 200U);
    ASSERT_EQ(answer.body, body);
  }
  EXPECT_EQ(counters_.connections_accepted, 1U);
}

TEST_F(Requests, RequestsMayBePipelined) {
  start();
  const auto client = connect();
  std::string all;
  for (int request = 0; request < 100; ++request) all += post("body " + std::to_string(request));
  client->send(all);
  for (int request = 0; request < 100; ++request) {
    ASSERT_EQ(client->read_answer().body, "body " + std::to_string(request));
  }
}

TEST_F(Requests, RequestMayArriveByteByByte) {
  start();
  const auto client = connect();
  for (const char byte : post("slow")) client->send({&byte, 1});
  EXPECT_EQ(client->read_answer().body, "slow");
}

TEST_F(Requests, BodiesUpToLimitArriveComplete) {
  start();
  const auto client = connect();
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{16'000}, std::size_t{32'768 - 128},
        std::size_t{32'768}, std::size_t{100'000}, options_.limits.max_body_bytes}) {
    std::string body(size, 'b');
    for (std::size_t byte = 0; byte < size; byte += 1000)
      body[byte] = static_cast<char>('a' + byte % 26);
    const ClientAnswer answer = client->ask(post(body));
    ASSERT_EQ(answer.status, 200U) << size;
    ASSERT_TRUE(answer.body == body) << size;
  }
}

TEST_F(Requests, ChunkedBodiesArriveComplete) {
  start();
  const auto client = connect();
  const std::string head =
      post_with("Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n");
  EXPECT_EQ(client->ask(head + "5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n").body, "hello!");
  EXPECT_EQ(client->ask(head + "0\r\n\r\n").body, "");
  std::string large;
  std::string chunks;
  for (int chunk = 0; chunk < 500; ++chunk) {
    large += std::string(1000, static_cast<char>('a' + chunk % 26));
    chunks += "3e8\r\n" + large.substr(large.size() - 1000) + "\r\n";
  }
  EXPECT_TRUE(client->ask(head + chunks + "0\r\n\r\n").body == large);
  // The next request follows the last chunk directly.
  client->send(head + "1\r\na\r\n0\r\nTrailer: yes\r\n\r\n" + post("next"));
  EXPECT_EQ(client->read_answer().body, "a");
  EXPECT_EQ(client->read_answer().body, "next");
}

TEST_F(Requests, PathSurvivesMoveOfBuffer) {
  start();
  const ClientAnswer answer =
      connect()->ask(post(std::string(200'000, ' '), "/facts?" + std::string(2000, 'q')));
  EXPECT_EQ(answer.body, "path=/facts query=" + std::string(2000, 'q') + " left=unbounded");
}

TEST_F(Requests, Http10ClosesConnection) {
  start();
  const auto client = connect();
  const ClientAnswer answer = client->ask(
      "POST /echo HTTP/1.0\r\nContent-Type: application/json\r\nConnection: keep-alive\r\n"
      "Content-Length: 3\r\n\r\nold");
  EXPECT_EQ(answer.body, "old");
  EXPECT_TRUE(answer.closes_connection());
  EXPECT_EQ(client->read_to_end(), "");
  EXPECT_TRUE(client->was_closed_in_order());
}

TEST_F(Requests, ConnectionClosesOnRequest) {
  start();
  const auto client = connect();
  const ClientAnswer answer = client->ask(post_with(
      "Content-Type: application/json\r\nContent-Length: 1\r\nConnection: close\r\n", "x"));
  EXPECT_EQ(answer.status, 200U);
  EXPECT_TRUE(answer.closes_connection());
  EXPECT_EQ(client->read_to_end(), "");
  EXPECT_TRUE(client->was_closed_in_order());
}

TEST_F(Requests, ExpectContinueGets100) {
  start();
  const auto client = connect();
  const ClientAnswer interim = client->ask(
      post_with("Content-Type: application/json\r\nContent-Length: 5\r\nExpect: 100-continue\r\n"));
  EXPECT_EQ(interim.status, 100U);
  const ClientAnswer answer = client->ask("hello");
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(answer.body, "hello");
}

TEST_F(Requests, ExpectContinueWithBodyGetsNo100) {
  start();
  const ClientAnswer answer = connect()->ask(post_with(
      "Content-Type: application/json\r\nContent-Length: 5\r\nExpect: 100-continue\r\n", "hello"));
  EXPECT_EQ(answer.status, 200U);
}

TEST_F(Requests, TargetMayContainHost) {
  start();
  const auto client = connect();
  EXPECT_EQ(client->ask(post("x", "https://webhook.ns.svc:443/facts?a=b")).body,
            "path=/facts query=a=b left=unbounded");
  EXPECT_EQ(client->ask(post("x", "https://webhook.ns.svc")).status, 404U);
}

TEST_F(Requests, HostHeaderIsOptionalAndArbitrary) {
  start();
  const auto client = connect();
  EXPECT_EQ(client
                ->ask("POST /echo HTTP/1.1\r\nHost: another.example\r\nContent-Length: 1\r\n"
                      "Content-Type: application/json; charset=utf-8\r\n\r\nx")
                .status,
            200U);
  EXPECT_EQ(client
                ->ask("POST /echo HTTP/1.1\r\nContent-Length: 1\r\n"
                      "Content-Type: application/json\r\n\r\nx")
                .status,
            200U);
}

TEST_F(Requests, HandlerReceivesDeadlineMinusMargin) {
  start();
  const auto client = connect();
  EXPECT_THAT(client->ask(post("x", "/facts?timeout=10s")).body, HasSubstr("left=9000ms"));
  EXPECT_THAT(client->ask(post("x", "/facts?timeout=1s")).body, HasSubstr("left=500ms"));
  EXPECT_THAT(client->ask(post("x", "/facts?timeout=soon")).body, HasSubstr("left=unbounded"));
}

TEST_F(Requests, DeadlineCountsFromFirstHeaderByte) {
  start();
  const auto client = connect();
  const std::string request = post_with("Content-Type: application/json\r\nContent-Length: 2\r\n",
                                        "", "/facts?timeout=10s");
  client->send(request);
  wait_until([this] { return counters_.requests_in_flight == 1; }, "the header");
  clock_.tick(std::chrono::seconds(3));
  EXPECT_THAT(client->ask("{}").body, HasSubstr("left=6000ms"));
}

TEST_F(Requests, AnswerMayExceedSocketBuffer) {
  start();
  const auto client = connect();
  client->send(post("x", "/large") + post("after"));
  EXPECT_EQ(client->read_answer().body.size(), 4U * 1024 * 1024);
  EXPECT_EQ(client->read_answer().body, "after");
}

TEST_F(Requests, HalfClosedClientGetsAnswer) {
  start();
  const auto client = connect();
  client->send(post("last"));
  client->finish_sending();
  EXPECT_EQ(client->read_answer().body, "last");
}

TEST_F(Requests, SeveralLoopsServeRequests) {
  options_.threads = 3;
  start();
  std::vector<std::unique_ptr<TlsClient>> clients;
  clients.reserve(9);
  for (int client = 0; client < 9; ++client) clients.push_back(connect());
  for (int round = 0; round < 5; ++round) {
    for (const auto& client : clients) client->send(post("round"));
    for (const auto& client : clients) ASSERT_EQ(client->read_answer().body, "round");
  }
  EXPECT_EQ(counters_.connections_open, 9);
}

TEST_F(Requests, RequestsInFlightAreCounted) {
  start();
  const auto client = connect();
  client->send(post_with("Content-Type: application/json\r\nContent-Length: 5\r\n", "he"));
  wait_until([this] { return counters_.requests_in_flight == 1; }, "the request in flight");
  client->send("llo");
  client->read_answer();
  EXPECT_EQ(counters_.requests_in_flight, 0);
}

}  // namespace
}  // namespace dynamo::test
