// Reused connections that are dead: closed by the peer, or silent.
#include <atomic>

#include "tests/kube/transport_fixture.hpp"

namespace dynamo::kube {
namespace {

using ::testing::SizeIs;

using StaleConnectionTest = TransportTest;

// ---- Closed connections

// Answers once, then closes the connection when the second request arrives.
Script answering_once() {
  return [](Peer& peer) {
    peer.read_request();
    peer.send(answer(200, "first"));
    peer.read_request();
    peer.cut();
  };
}

TEST_F(StaleConnectionTest, IdempotentRequestIsRepeatedOnNewConnection) {
  for (const HttpMethod method : {HttpMethod::kGet, HttpMethod::kPut, HttpMethod::kDelete}) {
    ScriptedServer server({answering_once(), answering(answer(200, "second"))});
    connect(server);
    ASSERT_TRUE(get());
    EXPECT_EQ(run(transport_->send(request(method))).value().body, "second") << to_string(method);
    EXPECT_EQ(server.connections(), 2);
    EXPECT_THAT(server.requests(), SizeIs(3));
  }
}

TEST_F(StaleConnectionTest, OtherRequestsAreNotRepeated) {
  for (const HttpMethod method : {HttpMethod::kPost, HttpMethod::kPatch}) {
    ScriptedServer server({answering_once(), answering(answer(200, "second"))});
    connect(server);
    ASSERT_TRUE(get());
    const auto response = run(transport_->send(request(method)));
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().failure, FailureKind::kConnect);
    EXPECT_EQ(server.connections(), 1);
    EXPECT_THAT(server.requests(), SizeIs(2)) << to_string(method);
  }
}

TEST_F(StaleConnectionTest, RequestIsNotRepeatedAfterAnswerStarted) {
  ScriptedServer server({[](Peer& peer) {
                           peer.read_request();
                           peer.send(answer(200, "first"));
                           peer.read_request();
                           peer.send("HTTP/1.1 20");
                         },
                         answering(answer(200, "second"))});
  connect(server);
  ASSERT_TRUE(get());
  const auto response = get();
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().failure, FailureKind::kConnect);
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(StaleConnectionTest, RequestOnNewConnectionIsNotRepeated) {
  ScriptedServer server({[](Peer& peer) {
    peer.read_request();
    peer.cut();
  }});
  connect(server);
  const auto response = get();
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().failure, FailureKind::kConnect);
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(StaleConnectionTest, CancelledRequestDoesNotAffectOtherConnections) {
  Gate go_on;
  Gate end;
  ScriptedServer server({[&](Peer& peer) {
    std::string request;
    while (!(request = peer.read_request()).empty()) {
      const Gate& gate = request.starts_with("GET /3 ") ? end : go_on;
      if (!gate.wait()) return;
      peer.send(answer(200, "{}"));
    }
  }});
  connect(server);
  const auto first = start(transport_->send(Request(HttpMethod::kGet, "/1")));
  const auto second = start(transport_->send(Request(HttpMethod::kGet, "/2")));
  ASSERT_TRUE(run_until([&] { return server.requests().size() == 2; }));
  go_on.open();
  EXPECT_TRUE(wait(first));
  EXPECT_TRUE(wait(second));
  const auto third = start(transport_->send(Request(HttpMethod::kGet, "/3")));
  ASSERT_TRUE(run_until([&] { return server.requests().size() == 3; }));
  third->cancel();
  EXPECT_EQ(wait(third).error().failure, FailureKind::kCancelled);
  EXPECT_TRUE(get());
  EXPECT_EQ(server.connections(), 2);
  end.open();
}

TEST_F(StaleConnectionTest, ClosedConnectionIsDetectedBeforePost) {
  Gate closed;
  ScriptedServer server({[&](Peer& peer) {
                           peer.read_request();
                           peer.send(answer(200, "first"));
                           peer.end();
                           closed.open();
                         },
                         answering(answer(201, "second"))});
  connect(server);
  ASSERT_TRUE(get());
  ASSERT_TRUE(closed.wait());
  EXPECT_EQ(run(transport_->send(request(HttpMethod::kPost))).value().body, "second");
}

// ---- Silent connections

class SilentConnectionTest : public TransportTest {
 protected:
  // Answers once, when the gate is open, and then reads without answering.
  Script silent_after_one() {
    return [this](Peer& peer) {
      peer.read_request();
      if (!pooled_.wait()) return;
      peer.send(answer(200, "first"));
      while (!peer.read_request().empty()) {
      }
      closed_.fetch_add(1);
    };
  }
  // Closes the connection after the second request.
  Script cut_after_one() {
    return [this](Peer& peer) {
      peer.read_request();
      if (!pooled_.wait()) return;
      peer.send(answer(200, "first"));
      peer.read_request();
      peer.cut();
    };
  }
  // Leaves two unused connections behind.
  void pool_two(const ScriptedServer& server) {
    connect(server);
    const auto one = start(transport_->send(Request(HttpMethod::kGet, "/")));
    const auto two = start(transport_->send(Request(HttpMethod::kGet, "/")));
    ASSERT_TRUE(run_until([&] { return server.requests().size() == 2; }));
    pooled_.open();
    ASSERT_TRUE(wait(one));
    ASSERT_TRUE(wait(two));
    ASSERT_EQ(server.connections(), 2);
  }
  Result<Response> ask(HttpMethod method, std::chrono::milliseconds deadline) {
    Request asked = request(method);
    asked.deadline = deadline;
    return run(transport_->send(asked));
  }

  Gate pooled_;
  std::atomic<int> closed_{0};
};

class SilentConnectionVerbTest : public SilentConnectionTest,
                                 public ::testing::WithParamInterface<HttpMethod> {};

TEST_P(SilentConnectionVerbTest, IsReplacedByNewConnectionInTime) {
  ScriptedServer server({silent_after_one(), silent_after_one(), answering(answer(200, "third"))});
  pool_two(server);
  const auto response = ask(GetParam(), std::chrono::milliseconds(2000));
  ASSERT_TRUE(response) << response.error().text;
  EXPECT_EQ(response->body, "third");
  EXPECT_EQ(server.connections(), 3) << "one new connection";
  EXPECT_THAT(server.requests(), SizeIs(4)) << "no try on the other silent one";
  EXPECT_TRUE(run_until([&] { return closed_ == 2; })) << "both silent ones are thrown away";
}

INSTANTIATE_TEST_SUITE_P(All, SilentConnectionVerbTest,
                         ::testing::Values(HttpMethod::kGet, HttpMethod::kPut, HttpMethod::kDelete),
                         [](const auto& tested) { return std::string(to_string(tested.param)); });

TEST_F(SilentConnectionTest, ClosesOtherUnusedConnectionsWithoutRepetition) {
  ScriptedServer server({silent_after_one(), silent_after_one(), answering(answer(200, "third"))});
  pool_two(server);
  const auto lost = ask(HttpMethod::kPost, std::chrono::milliseconds(300));
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().failure, FailureKind::kDeadline);
  EXPECT_EQ(ask(HttpMethod::kPost, std::chrono::seconds(10)).value().body, "third");
  EXPECT_EQ(server.connections(), 3);
  EXPECT_THAT(server.requests(), SizeIs(4)) << "the lost one was not sent again";
}

TEST_F(SilentConnectionTest, ClosesOtherUnusedConnectionsWhenItBreaks) {
  ScriptedServer server({cut_after_one(), cut_after_one(), answering(answer(200, "third"))});
  pool_two(server);
  const auto lost = ask(HttpMethod::kPost, std::chrono::seconds(10));
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().failure, FailureKind::kConnect);
  EXPECT_EQ(ask(HttpMethod::kPost, std::chrono::seconds(10)).value().body, "third");
  EXPECT_EQ(server.connections(), 3);
}

TEST_F(SilentConnectionTest, ConnectionWithStartedAnswerIsNotSilent) {
  ScriptedServer server({[](Peer& peer) {
                           peer.read_request();
                           peer.send(answer(200, "first"));
                           peer.read_request();
                           peer.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
                           peer.is_closed_by_client();
                         },
                         answering(answer(200, "second"))});
  connect(server);
  ASSERT_TRUE(get());
  constexpr std::chrono::milliseconds kDeadline{3'000};
  const auto began = std::chrono::steady_clock::now();
  const auto response = ask(HttpMethod::kGet, kDeadline);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().failure, FailureKind::kDeadline);
  EXPECT_GE(std::chrono::steady_clock::now() - began, kDeadline) << "all its time";
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(SilentConnectionTest, HasFullDeadlineWhenNewOnesAreSilent) {
  const Script silent = [](Peer& peer) {
    while (!peer.read_request().empty()) {
    }
  };
  pooled_.open();
  ScriptedServer server({silent_after_one(), silent, silent_after_one(), silent_after_one(),
                         answering(answer(200, "fifth"))});
  constexpr std::chrono::milliseconds kDeadline{600};
  connect(server);
  ASSERT_TRUE(get());
  EXPECT_EQ(ask(HttpMethod::kGet, kDeadline).error().failure, FailureKind::kDeadline);
  EXPECT_EQ(server.connections(), 2) << "the server is slow, not its connection";
  ASSERT_TRUE(get());
  EXPECT_EQ(ask(HttpMethod::kGet, kDeadline).error().failure, FailureKind::kDeadline);
  EXPECT_EQ(server.connections(), 3) << "a slow answer was waited for";
  ASSERT_TRUE(get());
  EXPECT_EQ(ask(HttpMethod::kGet, std::chrono::milliseconds(2000)).value().body, "fifth")
      << "but not forever";
}

}  // namespace
}  // namespace dynamo::kube
