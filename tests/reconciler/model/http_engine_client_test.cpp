// Requests to inference servers that are slow, broken, send large answers, or redirect us.
#include "reconciler/model/http_engine_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "tests/kube/scripted_server.hpp"
#include "tests/support/fake_cluster.hpp"

namespace dynamo::reconciler::model {
namespace {

using std::chrono::milliseconds;
using test::answer;
using test::answering;
using test::Peer;
using test::Script;
using test::ScriptedServer;
using test::stalling;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr milliseconds kLong{8'000};
constexpr milliseconds kShort{100};

class HttpEnginesTest : public ::testing::Test {
 protected:
  // Maps every discovered address to the server.
  static HttpEngineClientOptions to(const ScriptedServer& server) {
    HttpEngineClientOptions options;
    options.reaches_everywhere = true;
    options.user_agent = "test/1";
    options.resolver = [port = server.port()](const std::string&, std::uint16_t) {
      return std::optional(HostPort{.address = "127.0.0.1", .port = port});
    };
    return options;
  }
  static EngineRequest post(milliseconds deadline = kLong) {
    EngineRequest request;
    request.host = "10.0.0.1";
    request.port = 9090;
    request.path = "/v1/loras";
    request.body = R"({"lora_name":"a"})";
    request.deadline = deadline;
    return request;
  }
  EngineAnswer ask(HttpEngineClientOptions options, EngineRequest request = post()) {
    HttpEngineClient engines(std::move(options));
    return test::run(loop_, engines.ask(std::move(request)));
  }
  EngineAnswer ask_script(Script script, milliseconds deadline = kLong) {
    const ScriptedServer server({std::move(script)});
    return ask(to(server), post(deadline));
  }

  boost::asio::io_context loop_;
};

TEST_F(HttpEnginesTest, RequestContainsBodyAndNoCredentials) {
  const ScriptedServer server({answering(answer(200, "{}"))});
  EXPECT_TRUE(ask(to(server)).is_success());
  ASSERT_THAT(server.requests(), SizeIs(1));
  const std::string sent = server.requests().front();
  EXPECT_THAT(sent, StartsWith("POST /v1/loras HTTP/1.1\r\n"));
  EXPECT_THAT(sent, HasSubstr("\r\nHost: 10.0.0.1:9090\r\n"));
  EXPECT_THAT(sent, HasSubstr("\r\nContent-Type: application/json\r\n"));
  EXPECT_THAT(sent, HasSubstr("\r\n\r\n{\"lora_name\":\"a\"}"));
  EXPECT_THAT(sent, Not(HasSubstr("Authorization")));
}

TEST_F(HttpEnginesTest, HostHeaderHoldsCanonicalAddressOnly) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"FD00:0:0::0001", "[fd00::1]:9090"},
      {"::ffff:a00:1", "[::ffff:10.0.0.1]:9090"},
      {"worker-0.workers", "worker-0.workers:9090"}};
  for (const auto& [host, header] : rows) {
    const ScriptedServer server({answering(answer(200, "{}"))});
    EngineRequest request = post();
    request.host = host;
    EXPECT_TRUE(ask(to(server), request).is_success()) << host;
    ASSERT_THAT(server.requests(), SizeIs(1)) << host;
    EXPECT_THAT(server.requests().front(), HasSubstr("\r\nHost: " + header + "\r\n")) << host;
  }
}

TEST_F(HttpEnginesTest, TextOtherThanPlainAddressIsRejected) {
  for (const std::string host :
       {"fd00::1%0\r\nX-Injected: 1", "fd00::1%0", "fe80::1%lo", "[fd00::1]", "10.0.0.1:80",
        "10.0.0.1 ", "a\r\nb", "a/b", "user@10.0.0.1", ""}) {
    const ScriptedServer server({answering(answer(200, "{}"))});
    EngineRequest request = post();
    request.host = host;
    const EngineAnswer answer = ask(to(server), request);
    EXPECT_FALSE(answer.is_success()) << host;
    EXPECT_THAT(answer.problem, HasSubstr("must have an IP address")) << host;
    EXPECT_THAT(answer.problem, Not(HasSubstr("\n"))) << host;
    EXPECT_THAT(server.requests(), SizeIs(0)) << host;
  }
}

TEST_F(HttpEnginesTest, UnloadRequestHasNoBody) {
  const ScriptedServer server({answering(answer(204, ""))});
  EngineRequest request = post();
  request.method = kube::HttpMethod::kDelete;
  request.host = "fd00::1";
  request.path = "/v1/loras/my%20lora/v1";
  request.body.clear();
  EXPECT_TRUE(ask(to(server), request).is_success());
  const std::vector<std::string> sent = server.requests();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_THAT(sent.front(), StartsWith("DELETE /v1/loras/my%20lora/v1 HTTP/1.1\r\n"));
  EXPECT_THAT(sent.front(), HasSubstr("\r\nHost: [fd00::1]:9090\r\n"));
  EXPECT_THAT(sent.front(), Not(HasSubstr("Content-Length")));
}

TEST_F(HttpEnginesTest, StatusDecidesIndependentOfBody) {
  struct Row {
    int status;
    std::string body;
    bool is_success;
  };
  const std::vector<Row> rows = {{200, R"({"status":"success"})", true},
                                 {201, "<html>no JSON</html>", true},
                                 {200, std::string("\0\xff\xfe", 3), true},
                                 {204, "", true},
                                 {400, "{}", false},
                                 {404, "", false},
                                 {500, R"({"status":"success"})", false},
                                 {503, "busy", false}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.status);
    const EngineAnswer got = ask_script(answering(answer(row.status, row.body)));
    EXPECT_EQ(got.is_success(), row.is_success);
    EXPECT_EQ(got.status, row.status);
    EXPECT_EQ(got.problem.empty(), row.is_success);
  }
}

TEST_F(HttpEnginesTest, RedirectsAreNotFollowed) {
  for (const int status : {301, 302, 307, 308}) {
    const ScriptedServer elsewhere({answering(answer(200, "{}"))});
    const ScriptedServer server({answering(answer(
        status, "", "Location: http://127.0.0.1:" + std::to_string(elsewhere.port()) + "/\r\n"))});
    const EngineAnswer got = ask(to(server));
    EXPECT_FALSE(got.is_success());
    EXPECT_THAT(got.problem, HasSubstr("redirects are not followed"));
    EXPECT_EQ(elsewhere.connections(), 0);
    EXPECT_EQ(server.connections(), 1);
  }
}

TEST_F(HttpEnginesTest, AnswerAboveTheLimitFails) {
  const std::string large(2U << 20U, 'x');
  EXPECT_THAT(ask_script(answering(answer(200, large))).problem, HasSubstr("larger than 1048576"));
  const Script endless = [](Peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = "4000\r\n" + std::string(0x4000, 'x') + "\r\n";
    for (int i = 0; i < 4'096; ++i) peer.send(chunk);
  };
  EXPECT_THAT(ask_script(endless).problem, HasSubstr("larger than 1048576"));
  const std::string headers(64U << 10U, 'h');
  EXPECT_FALSE(ask_script(answering(answer(200, "", "X-Large: " + headers + "\r\n"))).is_success());
  const std::string just(1U << 20U, 'x');
  EXPECT_TRUE(ask_script(answering(answer(200, just))).is_success());
}

TEST_F(HttpEnginesTest, HangingServerIsAbandonedAtTheDeadline) {
  const Script silent = stalling();
  constexpr milliseconds kEnoughToConnect{1'000};
  EXPECT_EQ(ask_script(silent, kEnoughToConnect).problem, "no answer in time");
  const Script in_the_body = stalling("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345");
  EXPECT_EQ(ask_script(in_the_body, kEnoughToConnect).problem, "no answer in time")
      << "half of an answer is none";
  const Script drips = [](Peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    // As long as the client reads.
    for (int i = 0; i < 1'000'000; ++i) peer.send("1\r\nx\r\n");
  };
  EXPECT_FALSE(ask_script(drips, kShort).is_success());
}

TEST_F(HttpEnginesTest, NothingIsSentAfterTheDeadline) {
  std::promise<std::string> received;
  const ScriptedServer server({[&](Peer& peer) { received.set_value(peer.read_request()); }});
  EngineRequest request = post(kShort * 5);
  // Blocks after connecting.
  request.can_send = [end = std::chrono::steady_clock::now() + kShort * 10] {
    while (std::chrono::steady_clock::now() < end) {
    }
    return true;
  };
  EXPECT_THAT(ask(to(server), request).problem, HasSubstr("in time"));
  EXPECT_EQ(received.get_future().get(), "");
}

// Another replica may start to lead between the check and the connection.
TEST_F(HttpEnginesTest, NothingIsSentAfterLosingLeadership) {
  std::promise<std::string> received;
  const ScriptedServer server({[&](Peer& peer) { received.set_value(peer.read_request()); }});
  EngineRequest request = post();
  request.can_send = [] { return false; };
  const EngineAnswer answer = ask(to(server), request);
  EXPECT_THAT(answer.problem, HasSubstr("another replica leads"));
  EXPECT_TRUE(answer.was_withheld);
  EXPECT_EQ(received.get_future().get(), "");
}

TEST_F(HttpEnginesTest, BrokenAnswersAreReportedAsProblems) {
  const auto sends = [](std::string text) -> Script {
    return [text = std::move(text)](Peer& peer) {
      peer.read_request();
      peer.send(text);
      peer.end();
    };
  };
  for (const char* const text :
       {"", "HTTP/1.1", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345", "SSH-2.0-x\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n"}) {
    SCOPED_TRACE(text);
    const EngineAnswer got = ask_script(sends(text));
    EXPECT_FALSE(got.is_success());
    EXPECT_NE(got.problem, "");
  }
  EXPECT_NE(ask_script([](Peer& peer) { peer.cut(); }).problem, "");
}

TEST_F(HttpEnginesTest, ClosedPortYieldsNoAnswer) {
  HttpEngineClientOptions options;
  {
    const ScriptedServer gone({answering(answer(200, "{}"))});
    options = to(gone);
  }
  const EngineAnswer got = ask(std::move(options));
  EXPECT_EQ(got.status, 0);
  EXPECT_NE(got.problem, "");
}

TEST_F(HttpEnginesTest, NothingIsSentToOwnHostOrNames) {
  const ScriptedServer server({answering(answer(200, "{}"))});
  HttpEngineClientOptions options = to(server);
  options.reaches_everywhere = false;
  EXPECT_THAT(ask(options).problem, HasSubstr("loopback")) << "wherever the resolver sends us";
  options.resolver = nullptr;
  for (const std::string host :
       {"127.0.0.1", "::1", "169.254.169.254", "fe80::1", "0.0.0.0", "::ffff:127.0.0.1",
        "localhost", "metadata.google.internal", "0177.0.0.1", "2130706433", "127.1", "10.0.0.1/x",
        "10.0.0.1:80", "u@10.0.0.1", "10.0.0.1\r\nX: y", ""}) {
    EngineRequest request = post();
    request.host = host;
    request.port = server.port();
    const EngineAnswer got = ask(options, request);
    EXPECT_FALSE(got.is_success()) << host;
    EXPECT_EQ(got.status, 0) << host;
  }
  EXPECT_EQ(server.connections(), 0);
  options.resolver = [](const std::string&, std::uint16_t) { return std::optional<HostPort>(); };
  EXPECT_THAT(ask(options).problem, HasSubstr("not known where"));
}

TEST_F(HttpEnginesTest, CancelledRequestEnds) {
  const ScriptedServer server({stalling()});
  HttpEngineClient engines(to(server));
  boost::asio::cancellation_signal signal;
  bool is_over = false;
  const auto ask_it = [&engines]() -> aio::Task<> {
    EngineRequest request = post();
    co_await engines.ask(std::move(request));
  };
  boost::asio::co_spawn(
      loop_, ask_it(),
      boost::asio::bind_cancellation_slot(
          signal.slot(), [&is_over](const std::exception_ptr&) { is_over = true; }));
  // The server has its own thread, which does not wake the loop.
  const auto end = std::chrono::steady_clock::now() + kLong / 2;
  while (server.requests().empty() && std::chrono::steady_clock::now() < end) {
    loop_.run_one_for(milliseconds(5));
  }
  EXPECT_FALSE(is_over);
  signal.emit(boost::asio::cancellation_type::all);
  EXPECT_TRUE(test::run_until(loop_, [&is_over] { return is_over; }));
}

}  // namespace
}  // namespace dynamo::reconciler::model
