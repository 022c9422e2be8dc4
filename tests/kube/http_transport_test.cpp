#include "kube/http/http_transport.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <semaphore>

#include "kube/http/http_connection.hpp"
#include "tests/kube/transport_fixture.hpp"

namespace dynamo::kube {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

using HttpTransportTest = TransportTest;

TEST_F(HttpTransportTest, SendsRequestAsHttp) {
  ScriptedServer server({answering(answer(201, R"({"kind":"Thing"})"))});
  options_.user_agent = "program/1";
  connect(server);
  Request post = request(HttpMethod::kPost, R"({"a":1})");
  post.target = "/api/v1/things?dryRun=All";
  const auto response = run(transport_->send(post)).value();
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(response.body, R"({"kind":"Thing"})");
  EXPECT_FALSE(response.retry_after.has_value());
  ASSERT_THAT(server.requests(), SizeIs(1));
  const std::string sent = server.requests()[0];
  EXPECT_THAT(sent, StartsWith("POST /api/v1/things?dryRun=All HTTP/1.1\r\n"));
  EXPECT_THAT(sent, HasSubstr("\r\nHost: 127.0.0.1:" + std::to_string(server.port()) + "\r\n"));
  EXPECT_THAT(sent, HasSubstr("\r\nUser-Agent: program/1\r\n"));
  EXPECT_THAT(sent, HasSubstr("\r\nAccept: application/json\r\n"));
  EXPECT_THAT(sent, HasSubstr("\r\nContent-Type: application/json\r\n"));
  EXPECT_THAT(sent, HasSubstr("\r\nContent-Length: 7\r\n"));
  EXPECT_THAT(sent, EndsWith("\r\n\r\n{\"a\":1}"));
  EXPECT_THAT(sent, Not(HasSubstr("Accept-Encoding")));
  EXPECT_THAT(sent, Not(HasSubstr("Authorization")));
}

TEST_F(HttpTransportTest, PrependsServerPrefixToPath) {
  ScriptedServer server({answering(answer(200, "{}"))});
  config_.prefix = "/k8s/clusters/c-1";
  connect(server);
  ASSERT_TRUE(get("/version"));
  EXPECT_THAT(server.requests().at(0), StartsWith("GET /k8s/clusters/c-1/version HTTP/1.1\r\n"));
}

TEST_F(HttpTransportTest, ReturnsAnyStatusAsAnswer) {
  ScriptedServer server({answering(answer(404, "gone"))});
  connect(server);
  const auto response = get().value();
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.body, "gone");
}

TEST_F(HttpTransportTest, RefusesPathWithLineBreak) {
  ScriptedServer server({answering(answer(200, "{}"))});
  connect(server);
  for (const char* target : {"/a\r\nX: y", "/a b", "no-slash", "", "/\x7f"}) {
    const auto response = get(target);
    ASSERT_FALSE(response) << target;
    EXPECT_EQ(response.error().failure, FailureKind::kProtocol) << target;
  }
  EXPECT_EQ(server.requests().size(), 0U);
}

TEST_F(HttpTransportTest, ReadsRetryAfterInSecondsAndAsDate) {
  const test::FakeClock clock(std::chrono::system_clock::from_time_t(784'111'777));
  ScriptedServer server({[](Peer& peer) {
    for (const char* value : {"7", "Sun, 06 Nov 1994 08:49:47 GMT", "Sun, 06 Nov 1994 08:00:00 GMT",
                              "soon", "-3", "99999999999999999999"}) {
      peer.read_request();
      peer.send(answer(429, "", "Retry-After: " + std::string(value) + "\r\n"));
    }
  }});
  config_.host = "127.0.0.1";
  config_.port = std::to_string(server.port());
  config_.tls = false;
  HttpTransport transport(loop_, config_, options_, clock, logger_);
  const auto next = [&] {
    return run(transport.send(Request(HttpMethod::kGet, "/"))).value().retry_after;
  };
  using std::chrono::seconds;
  EXPECT_EQ(next(), seconds(7));
  EXPECT_EQ(next(), seconds(10));
  EXPECT_EQ(next(), seconds(0));
  EXPECT_EQ(next(), std::nullopt);
  EXPECT_EQ(next(), std::nullopt);
  EXPECT_EQ(next(), seconds(86'400));
}

TEST_F(HttpTransportTest, ReadsRetryAfterDateByServersClock) {
  using std::chrono::seconds;
  for (const seconds off : {seconds(-3600), seconds(3600)}) {
    const test::FakeClock clock(std::chrono::system_clock::from_time_t(784'111'777) + off);
    ScriptedServer server({[](Peer& peer) {
      for (const char* date : {"Sun, 06 Nov 1994 08:49:37 GMT", "today"}) {
        peer.read_request();
        peer.send(answer(
            429, "",
            "Retry-After: Sun, 06 Nov 1994 08:49:47 GMT\r\nDate: " + std::string(date) + "\r\n"));
      }
    }});
    config_.host = "127.0.0.1";
    config_.port = std::to_string(server.port());
    config_.tls = false;
    HttpTransport transport(loop_, config_, options_, clock, logger_);
    const auto next = [&] {
      return run(transport.send(Request(HttpMethod::kGet, "/"))).value().retry_after;
    };
    EXPECT_EQ(next(), seconds(10)) << off.count();
    const seconds by_ours = std::max(seconds(0), seconds(10) - off);
    EXPECT_EQ(next(), by_ours) << "a Date that is none counts as none";
  }
}

TEST_F(HttpTransportTest, SkipsInterimAnswers) {
  ScriptedServer server({[](Peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n");
    peer.send(answer(200, "done"));
  }});
  connect(server);
  EXPECT_EQ(get().value().body, "done");
}

TEST_F(HttpTransportTest, ReadsChunkedAndCloseDelimitedBodies) {
  ScriptedServer server({[](Peer& peer) {
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n");
    peer.send("2\r\nde\r");
    peer.send("\n0\r\nTrailer: t\r\n\r\n");
    peer.read_request();
    peer.send("HTTP/1.1 200 OK\r\n\r\nto the end");
  }});
  connect(server);
  EXPECT_EQ(get().value().body, "abcde");
  EXPECT_EQ(get().value().body, "to the end");
  EXPECT_EQ(server.connections(), 1);
}

// ---- Reuse

TEST_F(HttpTransportTest, ReusesConnection) {
  ScriptedServer server({answering(answer(200, "{}"))});
  connect(server);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(get());
  EXPECT_EQ(server.connections(), 1);
  EXPECT_THAT(server.requests(), SizeIs(5));
}

TEST_F(HttpTransportTest, DoesNotReuseConnectionServerWillClose) {
  ScriptedServer server({answering(answer(200, "{}", "Connection: close\r\n"))});
  connect(server);
  ASSERT_TRUE(get());
  ASSERT_TRUE(get());
  EXPECT_EQ(server.connections(), 2);
}

TEST_F(HttpTransportTest, DoesNotReuseConnectionWithExcessData) {
  ScriptedServer server({answering(answer(200, "{}") + answer(200, "poison"))});
  connect(server);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(get().value().body, "{}");
  EXPECT_EQ(server.connections(), 3);
}

TEST_F(HttpTransportTest, ClosesIdleConnection) {
  Gate closed;
  ScriptedServer server({[&](Peer& peer) {
    peer.read_request();
    peer.send(answer(200, "{}"));
    if (peer.is_closed_by_client()) closed.open();
  }});
  options_.idle = std::chrono::milliseconds(1);
  connect(server);
  ASSERT_TRUE(get());
  loop_.restart();
  loop_.run_for(std::chrono::seconds(10));  // until no work is left
  EXPECT_TRUE(closed.wait());
}

TEST_F(HttpTransportTest, DestructorClosesUnusedConnections) {
  Gate closed;
  ScriptedServer server({[&](Peer& peer) {
    peer.read_request();
    peer.send(answer(200, "{}"));
    if (peer.is_closed_by_client()) closed.open();
  }});
  connect(server);
  ASSERT_TRUE(get());
  transport_.reset();
  EXPECT_TRUE(closed.wait());
}

TEST_F(HttpTransportTest, UsesTwoConnectionsAndQueuesOthersInOrder) {
  // Each answers one request; the next request arrives before another answer is released.
  std::counting_semaphore<> answers(0);
  const Script hold = [&](Peer& peer) {
    while (!peer.read_request().empty()) {
      if (!answers.try_acquire_for(std::chrono::seconds(10))) return;
      peer.send(answer(200, "{}"));
    }
  };
  ScriptedServer server({hold});
  connect(server);
  std::vector<std::shared_ptr<RunningCall<Response>>> all;
  all.reserve(6);
  for (int i = 0; i < 6; ++i) {
    all.push_back(start(transport_->send(Request(HttpMethod::kGet, "/" + std::to_string(i)))));
  }
  ASSERT_TRUE(run_until([&] { return server.requests().size() == 2; }));
  for (std::size_t known = 2; known < all.size(); ++known) {
    answers.release();
    ASSERT_TRUE(run_until([&] { return server.requests().size() == known + 1; }));
    EXPECT_THAT(server.requests().back(), StartsWith("GET /" + std::to_string(known) + " "));
  }
  answers.release(2);
  for (const auto& each : all) EXPECT_TRUE(wait(each));
  EXPECT_EQ(server.connections(), 2);
  EXPECT_THAT(server.requests(), SizeIs(6));
}

TEST_F(HttpTransportTest, AllowsHundredConcurrentCallsWhenConfigured) {
  Gate go_on;
  ScriptedServer server({[&](Peer& peer) {
    while (!peer.read_request().empty()) {
      if (!go_on.wait()) return;
      peer.send(answer(200, "{}"));
    }
  }});
  options_.connections = 100;
  connect(server);
  std::vector<std::shared_ptr<RunningCall<Response>>> all;
  all.reserve(120);
  for (int i = 0; i < 120; ++i)
    all.push_back(start(transport_->send(Request(HttpMethod::kGet, "/"))));
  ASSERT_TRUE(run_until([&] { return server.requests().size() == 100; }));
  EXPECT_EQ(server.connections(), 100);
  go_on.open();
  for (const auto& each : all) EXPECT_TRUE(wait(each));
  EXPECT_EQ(server.connections(), 100);
}

// ---- Invalid answers

struct BadAnswer {
  const char* name;
  std::string text;
  FailureKind failure;
};
void PrintTo(const BadAnswer& bad, std::ostream* out) {
  *out << bad.name;
}

class BadAnswerTest : public TransportTest, public ::testing::WithParamInterface<BadAnswer> {};

TEST_P(BadAnswerTest, IsErrorOfItsKind) {
  ScriptedServer server({[&](Peer& peer) {
    peer.read_request();
    peer.send(GetParam().text);
  }});
  options_.answer_bytes = 100;
  connect(server);
  const auto response = get();
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().failure, GetParam().failure) << response.error().text;
  EXPECT_THAT(response.error().text,
              StartsWith("API server http://127.0.0.1:" + std::to_string(server.port()) + ": "));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadAnswerTest,
    ::testing::Values(
        BadAnswer{"nothing", "", FailureKind::kConnect},
        BadAnswer{"half a header", "HTTP/1.1 200 OK\r\nContent-Le", FailureKind::kConnect},
        BadAnswer{"half a body", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
                  FailureKind::kConnect},
        BadAnswer{"half a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc",
                  FailureKind::kConnect},
        BadAnswer{"no last chunk",
                  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
                  FailureKind::kConnect},
        BadAnswer{"a chunk without length",
                  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n",
                  FailureKind::kProtocol},
        BadAnswer{"a chunk that goes on",
                  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n",
                  FailureKind::kProtocol},
        BadAnswer{"another protocol", "SSH-2.0-OpenSSH_9.2\r\n\r\n", FailureKind::kProtocol},
        BadAnswer{"TLS on a plain port", std::string("\x15\x03\x01\x00\x02\x02\x46", 7),
                  FailureKind::kProtocol},
        BadAnswer{"two lengths",
                  "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
                  FailureKind::kProtocol},
        BadAnswer{"a switch of protocols", "HTTP/1.1 101 Switching Protocols\r\n\r\n",
                  FailureKind::kProtocol},
        BadAnswer{"a length above the limit", answer(200, std::string(101, 'a')),
                  FailureKind::kTooLarge},
        BadAnswer{"chunks above the limit",
                  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n50\r\n" +
                      std::string(0x50, 'a') + "\r\n50\r\n" + std::string(0x50, 'a') + "\r\n",
                  FailureKind::kTooLarge},
        BadAnswer{"a body to the end above the limit",
                  "HTTP/1.1 200 OK\r\n\r\n" + std::string(101, 'a'), FailureKind::kTooLarge},
        BadAnswer{"endless header lines",
                  "HTTP/1.1 200 OK\r\nX: " + std::string(70'000, 'a') + "\r\n\r\n",
                  FailureKind::kProtocol}),
    [](const auto& tested) {
      std::string name = tested.param.name;
      std::ranges::replace(name, ' ', '_');
      return name;
    });

TEST_F(HttpTransportTest, AcceptsAnswerUpToLimit) {
  ScriptedServer server({answering(answer(200, std::string(100, 'a')))});
  options_.answer_bytes = 100;
  connect(server);
  EXPECT_THAT(get().value().body, SizeIs(100));
}

// ---- Deadlines

TEST_F(HttpTransportTest, FailsWhenServerDoesNotAnswer) {
  ScriptedServer server({stalling()});
  connect(server);
  Request request(HttpMethod::kGet, "/");
  request.deadline = std::chrono::seconds(1);  // enough to connect on a busy machine
  const auto response = run(transport_->send(request));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().failure, FailureKind::kDeadline);
  EXPECT_THAT(response.error().text, EndsWith(": no answer in time"));
}

TEST_F(HttpTransportTest, FailsWhenAnswerDoesNotEnd) {
  ScriptedServer server({stalling("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")});
  connect(server);
  Request request(HttpMethod::kGet, "/");
  request.deadline = std::chrono::milliseconds(30);
  EXPECT_EQ(run(transport_->send(request)).error().failure, FailureKind::kDeadline);
}

// A process that was frozen after it had connected may no longer be the leader; its timer has not
// fired yet.
TEST_F(HttpTransportTest, SendsNothingAfterDeadline) {
  std::promise<std::string> received;
  ScriptedServer server({[&received](Peer& peer) { received.set_value(peer.read_request()); }});
  config_.host = "127.0.0.1";
  config_.port = std::to_string(server.port());
  config_.tls = false;
  const auto write_late = [this]() -> aio::Task<Result<bool>> {
    HttpConnection connection(loop_.get_executor(), nullptr);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
    const auto connected = co_await connection.connect(config_, deadline);
    if (!connected) co_return connected.error();
    while (std::chrono::steady_clock::now() < deadline) {
    }
    const TransferResult written = co_await connection.write("POST / HTTP/1.1\r\n\r\n");
    co_return written.bytes == 0 && written.error&& connection.has_deadline_passed();
  };
  EXPECT_EQ(run(write_late()).value(), true);
  EXPECT_EQ(received.get_future().get(), "");
}

TEST_F(HttpTransportTest, FailsWhenServerDoesNotAccept) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* any = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof(address);
  ASSERT_EQ(::bind(listener, any, size), 0);
  ASSERT_EQ(::listen(listener, 0), 0);
  ASSERT_EQ(::getsockname(listener, any, &size), 0);
  // These fill its queue; further ones get no answer.
  std::vector<int> others;
  for (int i = 0; i < 4; ++i) {
    others.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    (void)::connect(others.back(), any, size);  // fills the queue, whether or not it connects
  }
  config_.host = "127.0.0.1";
  config_.port = std::to_string(ntohs(address.sin_port));
  config_.tls = false;
  connect();
  Request request(HttpMethod::kGet, "/");
  request.deadline = std::chrono::milliseconds(50);
  const auto response = run(transport_->send(request));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().failure, FailureKind::kDeadline);
  EXPECT_THAT(response.error().text, EndsWith(": connecting took too long"));
  for (const int each : others) ::close(each);
  ::close(listener);
}

TEST_F(HttpTransportTest, FailsWhenNoConnectionBecomesFree) {
  ScriptedServer server({stalling()});
  options_.connections = 1;
  connect(server);
  const auto first = start(transport_->send(Request(HttpMethod::kGet, "/first")));
  ASSERT_TRUE(run_until([&] { return server.requests().size() == 1; }));
  Request second(HttpMethod::kGet, "/second");
  second.deadline = std::chrono::milliseconds(20);
  const auto response = run(transport_->send(second));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().failure, FailureKind::kDeadline);
  EXPECT_THAT(response.error().text, EndsWith(": no connection came free in time"));
  EXPECT_FALSE(first->is_done());
}

TEST_F(HttpTransportTest, FailedRequestReleasesConnectionToNext) {
  ScriptedServer server({stalling(), answering(answer(200, "{}"))});
  options_.connections = 1;
  connect(server);
  Request slow(HttpMethod::kGet, "/first");
  slow.deadline = std::chrono::milliseconds(30);
  const auto first = start(transport_->send(slow));
  const auto second = start(transport_->send(Request(HttpMethod::kGet, "/second")));
  EXPECT_EQ(wait(first).error().failure, FailureKind::kDeadline);
  EXPECT_TRUE(wait(second));
}

TEST_F(HttpTransportTest, ReportsThatNoServerListens) {
  std::uint16_t port = 0;
  {
    ScriptedServer gone({answering("")});
    port = gone.port();
  }
  config_.host = "127.0.0.1";
  config_.port = std::to_string(port);
  config_.tls = false;
  connect();
  const auto response = get();
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().failure, FailureKind::kConnect);
  EXPECT_EQ(response.error().text,
            "API server http://127.0.0.1:" + std::to_string(port) + ": Connection refused");
}

// ---- Names and addresses

TEST_F(HttpTransportTest, ConnectsToIpv6Address) {
  ScriptedServer server({answering(answer(200, "{}"))}, {.address = "::1"});
  config_.host = "::1";
  connect(server);
  ASSERT_TRUE(get());
  EXPECT_THAT(server.requests().at(0),
              HasSubstr("\r\nHost: [::1]:" + std::to_string(server.port()) + "\r\n"));
}

TEST_F(HttpTransportTest, TriesAllAddressesOfName) {
  ScriptedServer server({answering(answer(200, "{}"))});
  config_.host = "localhost";
  connect(server);
  EXPECT_TRUE(get());
}

// ---- Cancellation

TEST_F(HttpTransportTest, CancelsWhileWaitingForAnswer) {
  Gate closed;
  ScriptedServer server({[&](Peer& peer) {
    peer.read_request();
    if (peer.is_closed_by_client()) closed.open();
  }});
  connect(server);
  const auto started = start(transport_->send(Request(HttpMethod::kGet, "/")));
  ASSERT_TRUE(run_until([&] { return server.requests().size() == 1; }));
  started->cancel();
  EXPECT_EQ(wait(started).error().failure, FailureKind::kCancelled);
  EXPECT_TRUE(closed.wait());
}

TEST_F(HttpTransportTest, CancelsWhileQueuedAndKeepsOrder) {
  Gate go_on;
  ScriptedServer server({[&](Peer& peer) {
    while (!peer.read_request().empty()) {
      if (!go_on.wait()) return;
      peer.send(answer(200, "{}"));
    }
  }});
  options_.connections = 1;
  connect(server);
  const auto first = start(transport_->send(Request(HttpMethod::kGet, "/first")));
  ASSERT_TRUE(run_until([&] { return server.requests().size() == 1; }));
  const auto second = start(transport_->send(Request(HttpMethod::kGet, "/second")));
  const auto third = start(transport_->send(Request(HttpMethod::kGet, "/third")));
  loop_.poll();
  second->cancel();
  EXPECT_EQ(wait(second).error().failure, FailureKind::kCancelled);
  go_on.open();
  EXPECT_TRUE(wait(first));
  EXPECT_TRUE(wait(third));
  EXPECT_THAT(server.requests(), SizeIs(2));
}

TEST_F(HttpTransportTest, PassesFreeConnectionOnFromCancelledRequest) {
  ScriptedServer server({answering(answer(200, "{}"))});
  options_.connections = 1;
  connect(server);
  // The first ends and wakes the second, which is cancelled before it runs.
  const auto first = start(transport_->send(Request(HttpMethod::kGet, "/first")));
  const auto second = start(transport_->send(Request(HttpMethod::kGet, "/second")));
  const auto third = start(transport_->send(Request(HttpMethod::kGet, "/third")));
  ASSERT_TRUE(run_until([&] { return first->is_done(); }));
  second->cancel();
  EXPECT_EQ(wait(second).error().failure, FailureKind::kCancelled);
  EXPECT_TRUE(wait(third));
}

TEST_F(HttpTransportTest, DestructorAllowsRunningRequests) {
  Gate go_on;
  ScriptedServer server({[&](Peer& peer) {
    peer.read_request();
    if (go_on.wait()) peer.send(answer(200, "{}"));
  }});
  connect(server);
  const auto started = start(transport_->send(Request(HttpMethod::kGet, "/")));
  ASSERT_TRUE(run_until([&] { return server.requests().size() == 1; }));
  transport_.reset();
  go_on.open();
  EXPECT_TRUE(wait(started));
}

TEST_F(HttpTransportTest, RunningRequestsEndWithLoop) {
  ScriptedServer server({stalling()});
  auto loop = std::make_unique<boost::asio::io_context>();
  config_.host = "127.0.0.1";
  config_.port = std::to_string(server.port());
  config_.tls = false;
  auto transport = std::make_unique<HttpTransport>(*loop, config_, options_, clock_, logger_);
  for (int i = 0; i < 4; ++i) {
    boost::asio::co_spawn(
        *loop,
        [](HttpTransport& used) -> aio::Task<> {
          co_await used.send(Request(HttpMethod::kGet, "/"));
        }(*transport),
        [](const std::exception_ptr&) {});
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (server.requests().size() < 2 && std::chrono::steady_clock::now() < end) {
    loop->run_one_for(std::chrono::milliseconds(5));
  }
  EXPECT_THAT(server.requests(), SizeIs(2));
  transport.reset();
  loop.reset();
}

}  // namespace
}  // namespace dynamo::kube
