#include "process/probes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/server/descriptor_limit.hpp"
#include "tests/support/recording_logger.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/tls_client.hpp"

namespace dynamo::process {
namespace {

using ::testing::HasSubstr;

std::string get(const std::string& path) {
  return "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n";
}

class ProbesTest : public ::testing::Test {
 protected:
  ProbesTest() {
    probes_.add("listener", [this] { return listener_; });
    probes_.add("certificate", [this] { return certificate_; });
  }

  std::optional<std::string> listener_;
  std::optional<std::string> certificate_;
  Probes probes_;
};

TEST_F(ProbesTest, AreReadyWhenEveryCheckPasses) {
  EXPECT_EQ(probes_.answer("/readyz", "").status, 200U);
  EXPECT_EQ(probes_.answer("/readyz", "").body, "ok\n");
}

TEST_F(ProbesTest, VerboseListsEachCheck) {
  for (const std::string_view query : {"verbose", "verbose=true", "a=b&verbose"}) {
    EXPECT_EQ(probes_.answer("/readyz", query).body,
              "[+]listener ok\n[+]certificate ok\nreadyz check passed\n");
  }
  EXPECT_EQ(probes_.answer("/readyz", "verbosely").body, "ok\n");
}

TEST_F(ProbesTest, AreUnreadyWithReasonWhenCheckFails) {
  certificate_ = "expired 3m ago";
  const PlainAnswer answer = probes_.answer("/readyz", "");
  EXPECT_EQ(answer.status, 503U);
  EXPECT_EQ(answer.body,
            "[+]listener ok\n[-]certificate failed: expired 3m ago\nreadyz check failed\n");
}

TEST_F(ProbesTest, AreHealthyWhileProcessRuns) {
  certificate_ = "expired 3m ago";
  EXPECT_EQ(probes_.answer("/healthz", "").status, 200U);
  EXPECT_EQ(probes_.answer("/healthz", "").body, "ok\n");
  EXPECT_EQ(probes_.answer("/healthz", "verbose").body, "[+]ping ok\nhealthz check passed\n");
}

TEST_F(ProbesTest, AreUnhealthyWhenLivenessCheckFails) {
  std::optional<std::string> stuck;
  probes_.add_liveness("event loops", [&stuck] { return stuck; });
  EXPECT_EQ(probes_.answer("/healthz", "verbose").body,
            "[+]ping ok\n[+]event loops ok\nhealthz check passed\n");
  stuck = "event loop 2 of 4 has not turned";
  EXPECT_EQ(probes_.answer("/healthz", "").status, 503U);
  EXPECT_EQ(probes_.answer("/healthz", "").body,
            "[+]ping ok\n[-]event loops failed: event loop 2 of 4 has not turned\n"
            "healthz check failed\n");
  EXPECT_EQ(probes_.answer("/readyz", "").status, 200U);
}

TEST_F(ProbesTest, UnknownPathIsRefused) {
  EXPECT_EQ(probes_.answer("/ready", "").status, 404U);
}

class PlainHttpTest : public ::testing::Test {
 protected:
  PlainHttpTest() { control_.start(); }

  // Answers with path and query; /throw and /no-memory throw.
  std::unique_ptr<PlainHttp> serve() {
    auto made = std::make_unique<PlainHttp>(
        control_, [](std::string_view path, std::string_view query) -> PlainAnswer {
          if (path == "/throw") throw std::runtime_error("broken");
          if (path == "/no-memory") throw std::bad_alloc();
          return {200, "text/plain", std::string(path) + " " + std::string(query) + "\n"};
        });
    made->start({"127.0.0.1", 0}).value();
    return made;
  }

  test::RecordingLogger logger_;
  aio::ControlLoop control_{logger_};
};

TEST_F(PlainHttpTest, AnswersAndCloses) {
  const auto plain = serve();
  test::TcpClient client(plain->port());
  const test::ClientAnswer answer = client.ask(get("/readyz?verbose"));
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(answer.body, "/readyz verbose\n");
  EXPECT_TRUE(answer.closes_connection());
  EXPECT_EQ(client.read_to_end(), "");
}

TEST_F(PlainHttpTest, AnswersHeadWithoutBody) {
  const auto plain = serve();
  test::TcpClient client(plain->port());
  client.send("HEAD /a HTTP/1.1\r\n\r\n");
  EXPECT_EQ(client.read_answer(true).header("Content-Length"), "4");
  EXPECT_EQ(client.read_to_end(), "");
}

TEST_F(PlainHttpTest, RefusesOtherMethods) {
  const auto plain = serve();
  const test::ClientAnswer answer =
      test::TcpClient(plain->port()).ask("POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(answer.status, 405U);
  EXPECT_EQ(answer.header("Allow"), "GET, HEAD");
}

TEST_F(PlainHttpTest, SurvivesThrowingHandler) {
  const auto plain = serve();
  EXPECT_EQ(test::TcpClient(plain->port()).ask(get("/throw")).status, 500U);
  EXPECT_EQ(test::TcpClient(plain->port()).ask(get("/next")).status, 200U);
}

TEST_F(PlainHttpTest, HandlerWithoutMemoryIsAnswered503) {
  const auto plain = serve();
  test::TcpClient client(plain->port());
  const test::ClientAnswer answer = client.ask(get("/no-memory"));
  EXPECT_EQ(answer.status, 503U);
  EXPECT_EQ(answer.header("Retry-After"), "1");
  EXPECT_TRUE(answer.closes_connection());
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_EQ(test::TcpClient(plain->port()).ask(get("/next")).status, 200U);
}

TEST_F(PlainHttpTest, ClosesOnGarbageAndOversizedHeaders) {
  const auto plain = serve();
  test::TcpClient garbage(plain->port());
  garbage.send("garbage\r\n\r\n");
  EXPECT_EQ(garbage.read_to_end(), "");
  test::TcpClient large(plain->port());
  large.send("GET / HTTP/1.1\r\nA: " + std::string(20'000, 'a'));
  EXPECT_EQ(large.read_to_end(), "");
}

// Beast's own reading would accept more: each 512 bytes end with the first byte of a line.
TEST_F(PlainHttpTest, HeaderLimitHoldsForAllReadings) {
  const auto plain = serve();
  const std::string line = "Name: " + std::string(56, 'b') + "\r\n";
  std::string header = "GET /" + std::string(47, 'a') + " HTTP/1.1\r\n";
  ASSERT_EQ(header.size(), 63U);
  while (header.size() + 2 * line.size() <= 8'192) header += line;
  const std::size_t left = 8'192 - header.size() - std::string_view("A: \r\n\r\n").size();
  for (const std::size_t more : {0U, 1U}) {
    test::TcpClient client(plain->port());
    client.send(header);
    client.send("A: " + std::string(left + more, 'c') + "\r\n\r\n");
    EXPECT_EQ(client.read_to_end().starts_with("HTTP/1.1 200 "), more == 0) << more;
  }
}

TEST_F(PlainHttpTest, IsNotBlockedBySilentClients) {
  const auto plain = serve();
  std::vector<std::unique_ptr<test::TcpClient>> silent;
  silent.reserve(100);
  for (int client = 0; client < 100; ++client) {
    silent.push_back(std::make_unique<test::TcpClient>(plain->port()));
  }
  EXPECT_EQ(test::TcpClient(plain->port()).ask(get("/probe")).status, 200U);
  // The oldest was closed.
  EXPECT_TRUE(silent.front()->is_closed_within(std::chrono::seconds(5)));
}

// The kubelet's probe has another address than the client that floods the port.
TEST_F(PlainHttpTest, LargestPeerIsEvictedAndProbeIsAnswered) {
  const auto plain = serve();
  test::TcpClient probe(plain->port(), "127.0.0.2");
  probe.send("GET /probe HT");
  std::vector<std::unique_ptr<test::TcpClient>> flood;
  for (int client = 0; client < 100; ++client) {
    flood.push_back(std::make_unique<test::TcpClient>(plain->port(), "127.0.0.3"));
  }
  EXPECT_TRUE(flood.front()->is_closed_within(std::chrono::seconds(5)));
  EXPECT_EQ(probe.ask("TP/1.1\r\n\r\n").body, "/probe \n");
}

// Its thread must not poll continuously for a free descriptor.
TEST_F(PlainHttpTest, PausesWhileDescriptorsAreExhausted) {
  if (test::kAddressSanitizer) {
    GTEST_SKIP() << "the sanitizer of undefined behaviour needs descriptors of its own";
  }
  const auto plain = serve();
  test::TcpClient(plain->port()).ask(get("/before"));
  std::optional<test::TcpClient> client;
  {
    const test::DescriptorLimit limit(1);
    client.emplace(plain->port());  // uses the last one
    client->send(get("/probe"));
    const std::clock_t start = std::clock();
    EXPECT_TRUE(client->stays_quiet_for(std::chrono::milliseconds(500)));
    EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 0.1);
  }
  EXPECT_EQ(client->read_answer().status, 200U);
}

TEST_F(PlainHttpTest, SilentClientIsClosedAfterTimeout) {
  const auto plain = serve();
  test::TcpClient silent(plain->port());
  EXPECT_TRUE(silent.is_closed_within(std::chrono::seconds(9)));
}

TEST_F(PlainHttpTest, DestructorStopsListening) {
  auto plain = serve();
  const std::uint16_t port = plain->port();
  test::TcpClient waiting(port);
  test::TcpClient(port).ask(get("/"));
  plain.reset();
  EXPECT_TRUE(waiting.is_closed_within(std::chrono::seconds(5)));
  EXPECT_THROW(test::TcpClient{port}, test::ClientError);
}

TEST_F(PlainHttpTest, MetricsHavePrometheusFormat) {
  PlainHttp plain(control_, metrics_handler([] { return std::string("up 1\n"); }));
  plain.start({"127.0.0.1", 0}).value();
  const test::ClientAnswer answer = test::TcpClient(plain.port()).ask(get("/metrics"));
  EXPECT_EQ(answer.body, "up 1\n");
  EXPECT_EQ(answer.header("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(test::TcpClient(plain.port()).ask(get("/")).status, 404U);
}

}  // namespace
}  // namespace dynamo::process
