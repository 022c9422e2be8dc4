// Limits for all clients together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <memory>
#include <vector>

#include "tests/server/descriptor_limit.hpp"
#include "tests/server/server_fixture.hpp"
#include "tests/support/sanitizers.hpp"

namespace dynamo::test {
namespace {

class Overload : public ServerFixture {
 protected:
  // A client with a request in flight: its body is incomplete.
  std::unique_ptr<TlsClient> occupy() {
    const auto before = counters_.requests_in_flight.load();
    auto client = connect();
    client->send(post_with("Content-Type: application/json\r\nContent-Length: 5\r\n", "he"));
    wait_until([&] { return counters_.requests_in_flight == before + 1; }, "the request");
    return client;
  }
};

TEST_F(Overload, RequestsAboveInFlightLimitGet503) {
  options_.limits.max_in_flight = 0;
  start();
  const auto client = connect();
  const ClientAnswer answer = client->ask(post("x"));
  EXPECT_EQ(answer.status, 503U);
  EXPECT_EQ(answer.body, "at most 0 requests may be in flight; ask again\n");
  EXPECT_EQ(answer.header("Retry-After"), "1");
  EXPECT_TRUE(answer.closes_connection());
  EXPECT_EQ(client->read_to_end(), "");
  EXPECT_EQ(count(server::Limit::kInFlight), 1U);
  EXPECT_EQ(counters_.requests_in_flight, 0);
}

TEST_F(Overload, IncompleteBodiesDoNotCountAsInFlight) {
  options_.limits.max_in_flight = 1;
  start();
  const auto first = occupy();
  const auto second = occupy();
  EXPECT_EQ(connect()->ask(post("x")).status, 200U);
  EXPECT_EQ(counters_.requests_in_flight, 2);
  EXPECT_EQ(first->ask("llo").status, 200U);
  EXPECT_EQ(second->ask("llo").status, 200U);
  EXPECT_EQ(counters_.requests_in_flight, 0);
  EXPECT_EQ(count(server::Limit::kInFlight), 0U);
}

TEST_F(Overload, PlaceOfDisconnectedClientIsFreed) {
  options_.limits.max_in_flight = 1;
  start();
  occupy()->reset();
  wait_until([this] { return counters_.requests_in_flight == 0; }, "the place");
  EXPECT_EQ(connect()->ask(post("x")).status, 200U);
}

TEST_F(Overload, LongestIdleConnectionIsEvicted) {
  options_.limits.max_connections = 3;
  start();
  std::vector<std::unique_ptr<TlsClient>> clients;
  for (int client = 0; client < 3; ++client) {
    clients.push_back(connect());
    clients.back()->ask(post("x"));
  }
  clients[0]->ask(post("again"));
  EXPECT_EQ(connect()->ask(post("fourth")).body, "fourth");
  EXPECT_EQ(clients[1]->read_to_end(), "");
  EXPECT_TRUE(clients[1]->was_closed_in_order());
  EXPECT_EQ(count(server::Eviction::kIdle), 1U);
  EXPECT_EQ(count(server::Limit::kConnections), 0U);
  for (const std::size_t kept : {0U, 2U}) EXPECT_EQ(clients[kept]->ask(post("kept")).body, "kept");
}

TEST_F(Overload, NewConnectionIsClosedWhenAllAreBusy) {
  options_.limits.max_connections = 3;
  options_.threads = 2;
  start();
  std::vector<std::unique_ptr<TlsClient>> clients;
  for (int client = 0; client < 3; ++client) {
    clients.push_back(connect());
    clients.back()->ask(post("x"));
    clients.back()->send(post("x", "/large"));  // more than the socket buffers
    EXPECT_FALSE(clients.back()->stays_quiet_for(std::chrono::seconds(10)));
  }
  wait_until([this] { return counters_.requests_complete == 0; }, "what the sockets take");
  TcpClient fourth(server_->port());
  EXPECT_TRUE(fourth.is_closed_within(std::chrono::seconds(5)));
  wait_until([this] { return count(server::Limit::kConnections) == 1; }, "the count");
  EXPECT_EQ(counters_.connections_open, 3);
  for (const auto& client : clients) EXPECT_EQ(client->read_answer().body.size(), 4U << 20U);
}

TEST_F(Overload, FirstConnectionWithUnreadAnswerIsEvicted) {
  options_.limits.max_connections = 2;
  start();
  const auto deaf = connect();
  const auto also_deaf = connect();
  for (TlsClient* const client : {deaf.get(), also_deaf.get()}) {
    client->send(post("x", "/large"));
    EXPECT_FALSE(client->stays_quiet_for(std::chrono::seconds(10)));
  }
  // Two windows: what the sockets accepted at first counts for one.
  for (int window = 0; window < 2; ++window) {
    clock_.tick(server::kFlowWindow);
    EXPECT_EQ(::poll(nullptr, 0, 250), 0);  // two sweeps
  }
  EXPECT_EQ(connect()->ask(post("third")).body, "third");
  EXPECT_EQ(count(server::Eviction::kWrite), 1U);
}

TEST_F(Overload, ClientsAreClosedWhenDescriptorsRunOut) {
  if (kAddressSanitizer) {
    GTEST_SKIP() << "the sanitizer of undefined behaviour needs descriptors of its own";
  }
  start();
  const auto before = connect();
  before->ask(post("x"));
  {
    const DescriptorLimit limit(1);
    TcpClient unlucky(server_->port());  // uses the last one
    EXPECT_TRUE(unlucky.is_closed_within(std::chrono::seconds(5)));
    EXPECT_EQ(before->ask(post("kept")).body, "kept");
  }
  EXPECT_EQ(count(server::Limit::kConnections), 1U);
  EXPECT_EQ(connect()->ask(post("later")).body, "later");
}

TEST_F(Overload, HandlersOverloadAnswerIsSentWithRetryAfter) {
  start();
  const auto client = connect();
  const ClientAnswer answer = client->ask(post("busy", "/busy"));
  EXPECT_EQ(answer.status, 503U);
  EXPECT_EQ(answer.header("Retry-After"), "1");
  EXPECT_TRUE(answer.closes_connection());
  EXPECT_EQ(client->read_to_end(), "");
}

TEST_F(Overload, OverloadIsLoggedWithItsLimit) {
  options_.limits.max_connections = 0;
  start();
  TcpClient client(server_->port());
  EXPECT_TRUE(client.is_closed_within(std::chrono::seconds(5)));
  wait_until([this] { return logger_.count("request rejected by a limit") == 1; }, "the line");
  EXPECT_TRUE(logger_.lines().back().mentions("connections"));
}

}  // namespace
}  // namespace dynamo::test
