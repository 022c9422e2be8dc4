#include <atomic>

#include "tests/kube/transport_fixture.hpp"

namespace dynamo::kube {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

class TlsTransportTest : public TransportTest {
 protected:
  static constexpr const char* kAddress = "127.0.0.1";

  ScriptedOptions tls(certs::KeyPair pair) const {
    ScriptedOptions options;
    options.pair = std::move(pair);
    return options;
  }
  std::string failure_text(const ScriptedServer& server, const std::string& ca_pem) {
    connect(server, ca_pem);
    const auto response = get();
    EXPECT_FALSE(response);
    if (response) return "";
    EXPECT_EQ(response.error().failure, FailureKind::kConnect);
    return response.error().text;
  }

  const test::TestCa ca_{std::chrono::system_clock::now()};
  test::TempDirectory files_;
};

TEST_F(TlsTransportTest, ConnectsToServerOfGivenCa) {
  ScriptedServer server({answering(answer(200, std::string(100'000, 'x')))},
                        tls(ca_.leaf({kAddress})));
  connect(server, ca_.pem());
  for (int i = 0; i < 3; ++i) EXPECT_THAT(get().value().body, SizeIs(100'000));
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(TlsTransportTest, SendsLargeBodies) {
  ScriptedServer server({answering(answer(200, "{}"))}, tls(ca_.leaf({kAddress})));
  connect(server, ca_.pem());
  const std::string body(3'000'000, 'b');
  ASSERT_TRUE(run(transport_->send(request(HttpMethod::kPut, body))));
  EXPECT_THAT(server.requests().at(0), EndsWith(body));
}

TEST_F(TlsTransportTest, RefusesServerOfAnotherCa) {
  const test::TestCa other(std::chrono::system_clock::now(), "another CA");
  ScriptedServer server({answering(answer(200, "{}"))}, tls(other.leaf({kAddress})));
  EXPECT_THAT(failure_text(server, ca_.pem()),
              HasSubstr("the server's certificate is not trusted: "));
  EXPECT_THAT(server.requests(), SizeIs(0));
}

TEST_F(TlsTransportTest, RefusesServerWithAnotherNameOrAddress) {
  ScriptedServer server({answering(answer(200, "{}"))}, tls(ca_.leaf({"localhost", "127.0.0.2"})));
  EXPECT_THAT(failure_text(server, ca_.pem()),
              EndsWith("the server's certificate must name 127.0.0.1, and does not"));
  config_.server_name = "kubernetes.default";
  EXPECT_THAT(failure_text(server, ca_.pem()),
              EndsWith("the server's certificate must name kubernetes.default, and does not"));
  EXPECT_THAT(server.requests(), SizeIs(0));
}

TEST_F(TlsTransportTest, IgnoresCommonName) {
  certs::LeafRequest wish = ca_.request({"elsewhere"});
  wish.common_name = "localhost";
  ScriptedServer server({answering(answer(200, "{}"))}, tls(ca_.leaf(wish)));
  config_.server_name = "localhost";
  EXPECT_THAT(failure_text(server, ca_.pem()), HasSubstr("must name localhost"));
}

TEST_F(TlsTransportTest, ExpectsConfiguredServerName) {
  ScriptedServer server({answering(answer(200, "{}"))}, tls(ca_.leaf({"kubernetes.default"})));
  config_.server_name = "kubernetes.default";
  connect(server, ca_.pem());
  EXPECT_TRUE(get());
}

TEST_F(TlsTransportTest, RefusesExpiredCertificate) {
  certs::LeafRequest wish = ca_.request({kAddress});
  wish.not_before = std::chrono::system_clock::now() - std::chrono::hours(48);
  wish.not_after = std::chrono::system_clock::now() - std::chrono::hours(24);
  ScriptedServer server({answering(answer(200, "{}"))}, tls(ca_.leaf(wish)));
  EXPECT_THAT(failure_text(server, ca_.pem()), EndsWith("certificate has expired"));
}

TEST_F(TlsTransportTest, RefusesClientCertificateOfServer) {
  certs::LeafRequest wish = ca_.request({kAddress});
  wish.usage = certs::Usage::kClient;
  ScriptedServer server({answering(answer(200, "{}"))}, tls(ca_.leaf(wish)));
  EXPECT_THAT(failure_text(server, ca_.pem()), HasSubstr("certificate purpose"));
}

TEST_F(TlsTransportTest, RefusesServerWithoutTls) {
  ScriptedOptions plain = tls(ca_.leaf({kAddress}));
  plain.handshake = false;
  ScriptedServer server({[](Peer& peer) {
                          peer.send("HTTP/1.1 400 Bad Request\r\n\r\n");
                          peer.is_closed_by_client();
                        }},
                        plain);
  EXPECT_THAT(failure_text(server, ca_.pem()), HasSubstr("the TLS handshake failed: "));
}

TEST_F(TlsTransportTest, FailsWhenServerIsSilent) {
  ScriptedOptions bare = tls(ca_.leaf({kAddress}));
  bare.handshake = false;
  ScriptedServer server({[](Peer& peer) {
                          while (!peer.is_closed_by_client()) {
                          }
                        }},
                        bare);
  connect(server, ca_.pem());
  Request request(HttpMethod::kGet, "/");
  request.deadline = std::chrono::milliseconds(30);
  const auto response = run(transport_->send(request));
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().failure, FailureKind::kDeadline);
  EXPECT_THAT(response.error().text, EndsWith(": the TLS handshake took too long"));
}

TEST_F(TlsTransportTest, CancelsDuringHandshake) {
  ScriptedOptions bare = tls(ca_.leaf({kAddress}));
  bare.handshake = false;
  std::atomic<bool> greeted{false};
  Gate closed;
  ScriptedServer server({[&](Peer& peer) {
                          if (!peer.is_closed_by_client()) greeted = true;  // client hello received
                          if (peer.is_closed_by_client()) closed.open();
                        }},
                        bare);
  connect(server, ca_.pem());
  const auto started = start(transport_->send(Request(HttpMethod::kGet, "/")));
  ASSERT_TRUE(run_until([&] { return greeted.load(); }));
  started->cancel();
  EXPECT_EQ(wait(started).error().failure, FailureKind::kCancelled);
  EXPECT_TRUE(closed.wait());
}

TEST_F(TlsTransportTest, ReadsStreams) {
  ScriptedServer server({[](Peer& peer) {
                          peer.read_request();
                          peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
                          peer.send("4\r\none\n\r\n");
                          peer.send("7\r\ntwo\nthr\r\n");
                          peer.cut();
                        }},
                        tls(ca_.leaf({kAddress})));
  connect(server, ca_.pem());
  const auto stream = open().value();
  EXPECT_EQ(run(stream->next_line(kIdle)).value(), "one");
  EXPECT_EQ(run(stream->next_line(kIdle)).value(), "two");
  EXPECT_EQ(run(stream->next_line(kIdle)).error().failure, FailureKind::kConnect);
}

TEST_F(TlsTransportTest, TruncatedTlsStreamIsNotEndOfBody) {
  ScriptedServer server({[](Peer& peer) {
                          peer.read_request();
                          peer.send("HTTP/1.1 200 OK\r\n\r\nhalf");
                          peer.cut();
                        }},
                        tls(ca_.leaf({kAddress})));
  connect(server, ca_.pem());
  const auto response = get();
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().failure, FailureKind::kConnect);
}

TEST_F(TlsTransportTest, NoticesCleanCloseBeforeNextRequest) {
  Gate ended;
  ScriptedServer server({[&](Peer& peer) {
                           peer.read_request();
                           peer.send(answer(200, "first"));
                           peer.end();
                           ended.open();
                         },
                         answering(answer(201, "second"))},
                        tls(ca_.leaf({kAddress})));
  connect(server, ca_.pem());
  ASSERT_TRUE(get());
  ASSERT_TRUE(ended.wait());
  EXPECT_EQ(run(transport_->send(request(HttpMethod::kPost))).value().body, "second");
}

// The answer ends exactly with the read buffer, but its TLS record has more data.
TEST_F(TlsTransportTest, ExcessDataIsNotUsedAsNextAnswer) {
  constexpr std::size_t kPiece = 4'096;
  std::string first = answer(200, std::string(4'000, 'x'));
  ASSERT_LT(first.size(), kPiece);
  first = answer(200, std::string(4'000 + kPiece - first.size(), 'x'));
  ASSERT_EQ(first.size(), kPiece);
  ScriptedServer server({[&first](Peer& peer) {
                           peer.read_request();
                           peer.send(first + answer(200, "unsolicited"));
                           peer.read_request();
                         },
                         answering(answer(201, "second"))},
                        tls(ca_.leaf({kAddress})));
  connect(server, ca_.pem());
  ASSERT_TRUE(get());
  EXPECT_EQ(get().value().body, "second");
}

TEST_F(TlsTransportTest, PresentsClientCertificate) {
  ScriptedOptions mutual = tls(ca_.leaf({kAddress}));
  mutual.client_ca_pem = ca_.pem();
  ScriptedServer server({answering(answer(200, "{}"))}, mutual);
  EXPECT_THAT(failure_text(server, ca_.pem()), HasSubstr("certificate required"));

  const certs::KeyPair client = ca_.client("me");
  config_.client_certificate.data = client.certificate_pem;
  config_.client_key.data = client.key_pem;
  connect(server, ca_.pem());
  EXPECT_TRUE(get());
}

TEST_F(TlsTransportTest, ReloadsChangedCaWhenServerIsNotTrusted) {
  const test::TestCa next(std::chrono::system_clock::now(), "the next CA");
  ScriptedServer server({answering(answer(200, "{}"))}, tls(next.leaf({kAddress})));
  files_.write("ca.crt", ca_.pem());
  config_.ca.file = files_.file("ca.crt");
  config_.ca.origin = config_.ca.file;
  config_.host = kAddress;
  config_.port = std::to_string(server.port());
  connect();
  EXPECT_FALSE(get());
  files_.write("ca.crt", ca_.pem() + next.pem());
  EXPECT_TRUE(get());
}

TEST_F(TlsTransportTest, ConnectionsOfOlderCredentialsAreNotReused) {
  ScriptedServer server({answering(answer(200, "{}"))}, tls(ca_.leaf({kAddress})));
  files_.write("ca.crt", ca_.pem());
  config_.ca.file = files_.file("ca.crt");
  config_.ca.origin = config_.ca.file;
  config_.host = kAddress;
  config_.port = std::to_string(server.port());
  connect();
  ASSERT_TRUE(get());
  const test::TestCa next(std::chrono::system_clock::now(), "the next CA");
  files_.write("ca.crt", ca_.pem() + next.pem());
  ASSERT_TRUE(get());
  EXPECT_EQ(server.connections(), 1) << "read before its minute was over";
  clock_.tick(std::chrono::seconds(61));
  ASSERT_TRUE(get());
  EXPECT_EQ(server.connections(), 2);
  files_.write("ca.crt", next.pem());
  clock_.tick(std::chrono::seconds(61));
  EXPECT_FALSE(get());
}

TEST_F(TlsTransportTest, TrustsIntermediateOfBundle) {
  const test::TestCa root(std::chrono::system_clock::now(), "root");
  ScriptedServer server({answering(answer(200, "{}"))}, tls(ca_.leaf({kAddress})));
  connect(server, test::resign(ca_.pem(), root.pair(), EVP_sha256()));
  EXPECT_TRUE(get());
}

}  // namespace
}  // namespace dynamo::kube
