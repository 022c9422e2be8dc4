// Shutdown: every accepted request gets an answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "tests/server/server_fixture.hpp"

namespace dynamo::test {
namespace {

using std::chrono::seconds;

class Drain : public ServerFixture {
 protected:
  std::future<void> stop_in_background() {
    return std::async(std::launch::async, [this] { server_->stop(); });
  }
  // Waits for the stopping phase, in which no new request is started and the listener is closed.
  void wait_for_closed_listener() {
    wait_until(
        [this] {
          try {
            TcpClient probe(server_->port());
            return false;
          } catch (const ClientError&) {
            return true;
          }
        },
        "the listener to close");
  }
  static void expect_finished(std::future<void>& stopped) {
    ASSERT_EQ(stopped.wait_for(seconds(20)), std::future_status::ready);
  }
};

TEST_F(Drain, ServerIsUnreadyAndSendsConnectionClose) {
  start();
  EXPECT_EQ(server_->unready_reason(), std::nullopt);
  const auto before = connect();
  EXPECT_FALSE(before->ask(post("x")).closes_connection());
  server_->begin_drain();
  EXPECT_EQ(server_->unready_reason(), "the server is shutting down");
  const ClientAnswer kept = before->ask(post("kept alive"));
  EXPECT_EQ(kept.status, 200U);
  EXPECT_TRUE(kept.closes_connection());
  EXPECT_EQ(before->read_to_end(), "");
  const ClientAnswer fresh = connect()->ask(post("new connection"));
  EXPECT_EQ(fresh.status, 200U);
  EXPECT_TRUE(fresh.closes_connection());
}

TEST_F(Drain, RequestInFlightFinishes) {
  start();
  const auto client = connect();
  client->send(post_with("Content-Type: application/json\r\nContent-Length: 6\r\n", "one"));
  wait_until([this] { return counters_.requests_in_flight == 1; }, "the request");
  auto stopped = stop_in_background();
  wait_for_closed_listener();
  const ClientAnswer answer = client->ask("two");
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(answer.body, "onetwo");
  EXPECT_TRUE(answer.closes_connection());
  EXPECT_EQ(client->read_to_end(), "");
  client->finish_sending();
  expect_finished(stopped);
}

TEST_F(Drain, IdleConnectionsAreClosedCleanly) {
  start();
  const auto idle = connect();
  idle->ask(post("x"));
  auto stopped = stop_in_background();
  EXPECT_EQ(idle->read_to_end(), "");
  EXPECT_TRUE(idle->was_closed_in_order());
  idle->finish_sending();
  expect_finished(stopped);
  EXPECT_EQ(counters_.connections_open, 0);
}

TEST_F(Drain, LateRequestGets503) {
  start();
  const auto idle = connect();
  idle->ask(post("x"));
  const auto late = connect();  // has sent no request, so it gets a short time to do so
  auto stopped = stop_in_background();
  EXPECT_EQ(idle->read_to_end(), "");  // closed: no request is started from now on
  idle->finish_sending();
  const ClientAnswer answer = late->ask(post("late"));
  EXPECT_EQ(answer.status, 503U);
  EXPECT_EQ(answer.body, "the server is stopping; ask another one\n");
  EXPECT_EQ(answer.header("Retry-After"), "1");
  EXPECT_TRUE(answer.closes_connection());
  EXPECT_EQ(count(server::Limit::kDraining), 1U);
  EXPECT_EQ(late->read_to_end(), "");
  late->finish_sending();
  expect_finished(stopped);
}

TEST_F(Drain, ConnectionInHandshakeGetsTimeToAsk) {
  start();
  const auto idle = connect();
  idle->ask(post("x"));
  TlsClientOptions options = client_options();
  options.handshakes = false;
  TlsClient young(options);
  wait_until([this] { return counters_.connections_open == 2; }, "the connection");
  auto stopped = stop_in_background();
  EXPECT_EQ(idle->read_to_end(), "");  // closed: all connections were checked
  idle->finish_sending();
  young.shake_hands();
  bool is_closed = false;
  // Together less than header_timeout. The server may read the clock after the first.
  for (int i = 0; i < 2 && !is_closed; ++i) {
    clock_.tick(seconds(2));
    is_closed = young.is_closed_within(seconds(3));
  }
  EXPECT_TRUE(is_closed);
  young.finish_sending();
  expect_finished(stopped);
  EXPECT_EQ(logger_.count("connections were cut at the drain timeout"), 0U);
}

TEST_F(Drain, UnfinishedRequestsAreCutAtTimeout) {
  options_.drain_timeout = Milliseconds(100);
  start();
  const auto stuck = connect();
  stuck->send(post_with("Content-Type: application/json\r\nContent-Length: 2\r\n", "a"));
  wait_until([this] { return counters_.requests_in_flight == 1; }, "the request");
  server_->stop();
  EXPECT_EQ(stuck->read_to_end(), "");
  EXPECT_FALSE(stuck->was_closed_in_order());
  EXPECT_EQ(counters_.connections_open, 0);
  EXPECT_EQ(counters_.requests_in_flight, 0);
  EXPECT_EQ(logger_.count("connections were cut at the drain timeout"), 1U);
}

TEST_F(Drain, ServingContinuesForShutdownDelay) {
  options_.shutdown_delay = seconds(3600);
  start();
  auto stopped = stop_in_background();
  wait_until([this] { return server_->unready_reason().has_value(); }, "unready");
  EXPECT_EQ(connect()->ask(post("still served")).status, 200U);
  EXPECT_EQ(stopped.wait_for(Milliseconds(0)), std::future_status::timeout);
  server_->skip_shutdown_delay();
  expect_finished(stopped);
  EXPECT_THROW(connect(), ClientError);
}

TEST_F(Drain, StopMayBeRepeatedOrPrecedeStart) {
  start();
  server_->stop();
  server_->stop();
  server_.reset();
  server::Server never_started(options_, {control_, [] { return nullptr; }, [] { return nullptr; },
                                          logger_, clock_, counters_});
  EXPECT_EQ(never_started.unready_reason(), "the listener is not up");
  never_started.stop();
}

// Clients that keep connections, obey "Connection: close", and reconnect until the listener is
// closed.
TEST_F(Drain, KeptAliveClientsLoseNoRequest) {
  options_.threads = 2;
  options_.shutdown_delay = Milliseconds(300);
  start();
  std::atomic<int> served{0};
  std::atomic<int> refused{0};
  std::atomic<int> reported_to_close{0};
  std::atomic<int> lost{0};
  const auto hammer = [&] {
    constexpr int kMax = 20'000;
    std::unique_ptr<TlsClient> client;
    for (int request = 0; request < kMax; ++request) {
      if (client == nullptr) {
        try {
          client = connect();
        } catch (const ClientError&) {
          return;  // the listener is closed; no request was sent
        }
      }
      try {
        const ClientAnswer answer = client->ask(post("request"));
        if (answer.status == 200) ++served;
        if (answer.status == 503) ++refused;
        if (answer.status != 200 && answer.header("Retry-After") != "1") ++lost;
        if (answer.closes_connection()) {
          ++reported_to_close;
          client.reset();
        }
      } catch (const ClientError&) {
        ++lost;
        return;
      }
    }
    ADD_FAILURE() << "the server never stopped";
  };
  std::vector<std::thread> clients;
  clients.reserve(4);
  for (int client = 0; client < 4; ++client) clients.emplace_back(hammer);
  wait_until([&] { return served > 50; }, "some load");
  server_->stop();
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(lost, 0);
  // Refusals occur only just after the shutdown delay, if a request was already in transit.
  EXPECT_LE(refused, 8);
  EXPECT_GE(reported_to_close, 4);
  RecordProperty("served", served);
  RecordProperty("refused", refused);
}

TEST_F(Drain, PortIsReleased) {
  start();
  const std::uint16_t port = server_->port();
  connect()->ask(post("x"));
  server_->stop();
  options_.address.port = port;
  start();
  EXPECT_EQ(connect()->ask(post("again")).body, "again");
}

TEST_F(Drain, DestructorStopsWithoutDelay) {
  options_.shutdown_delay = seconds(3600);
  start();
  connect()->ask(post("x"));
  server_.reset();
  EXPECT_EQ(counters_.connections_open, 0);
}

class Start : public ServerFixture {};

TEST_F(Start, TakenPortIsErrorNamingAddress) {
  start();
  options_.address.port = server_->port();
  server::Server second(
      options_, {control_, [] { return nullptr; },
                 []() -> std::unique_ptr<server::RequestHandler> { return nullptr; }, logger_,
                 clock_, counters_});
  const auto started = second.start();
  ASSERT_TRUE(started.has_error());
  EXPECT_EQ(started.error().text,
            "cannot listen on 127.0.0.1:" + std::to_string(options_.address.port) +
                ": Address already in use");
}

}  // namespace
}  // namespace dynamo::test
