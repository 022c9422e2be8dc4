// Peers that do not complete a handshake.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "tests/server/server_fixture.hpp"

namespace dynamo::test {
namespace {

using server::HandshakeFailure;
using ::testing::HasSubstr;

class Handshakes : public ServerFixture {
 protected:
  // Sends `bytes` on a TCP connection and expects it to be closed immediately, as `failure`.
  void expect_closed(const std::string& bytes, HandshakeFailure failure) {
    SCOPED_TRACE(bytes.substr(0, 20));
    const std::uint64_t before = count(failure);
    TcpClient client(server_->port());
    client.send(bytes);
    client.read_to_end();  // perhaps an alert
    client.finish_sending();
    wait_until([this] { return counters_.connections_open == 0; }, "the connection to end");
    EXPECT_EQ(count(failure), before + 1) << logger_.lines().back().fields;
  }
};

TEST_F(Handshakes, PeerWithoutTlsIsClosedImmediately) {
  start();
  expect_closed("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", HandshakeFailure::kNotTls);
  expect_closed("CONNECT localhost:1 HTTP/1.1\r\n\r\n", HandshakeFailure::kNotTls);
  expect_closed(std::string("\x80\x19\x01\x00\x02 an SSLv2 hello of old", 27),
                HandshakeFailure::kOther);
  expect_closed("SSH-2.0-OpenSSH_9.2\r\n", HandshakeFailure::kNotTls);
  expect_closed(std::string(64, '\0'), HandshakeFailure::kNotTls);
  EXPECT_EQ(connect()->ask(post("x")).status, 200U);
}

TEST_F(Handshakes, GarbageInTlsRecordIsClosedImmediately) {
  start();
  // A handshake record that contains no ClientHello.
  expect_closed(std::string("\x16\x03\x01\x00\x08\xff\xff\xff\xff\xff\xff\xff\xff", 13),
                HandshakeFailure::kNotTls);
  // A truncated ClientHello.
  expect_closed(std::string("\x16\x03\x01\x00\x08\x01\x00\x00\x04\x03\x03\x00\x00", 13),
                HandshakeFailure::kOther);
  EXPECT_EQ(connect()->ask(post("x")).status, 200U);
}

TEST_F(Handshakes, Tls11IsRefused) {
  start();
  TlsClientOptions old = client_options();
  old.max_version = TLS1_1_VERSION;
  old.allow_old = true;
  try {
    const TlsClient client(old);
    FAIL() << "TLS 1.1 was accepted";
  } catch (const ClientError& error) {
    EXPECT_THAT(error.what(), HasSubstr("protocol version"));
  }
  wait_until([this] { return count(HandshakeFailure::kVersion) == 1; }, "the count");
}

TEST_F(Handshakes, Tls12IsAccepted) {
  start();
  TlsClientOptions older = client_options();
  older.max_version = TLS1_2_VERSION;
  EXPECT_EQ(TlsClient(older).ask(post("x")).body, "x");
}

TEST_F(Handshakes, SilentPeerIsClosedAtTimeout) {
  start();
  TcpClient silent(server_->port());
  TcpClient slow(server_->port());
  slow.send(std::string("\x16\x03\x01\x02\x00", 5));  // the start of a ClientHello
  const auto client = connect();  // accepted after both, so their time has started
  client->ask(post("x"));
  clock_.tick(options_.limits.handshake_timeout - Milliseconds(1));
  EXPECT_TRUE(silent.stays_quiet_for(Milliseconds(250)));
  clock_.tick(Milliseconds(1));
  EXPECT_TRUE(silent.is_closed_within(std::chrono::seconds(5)));
  EXPECT_TRUE(slow.is_closed_within(std::chrono::seconds(5)));
  wait_until([this] { return counters_.connections_open == 1; }, "only the good client to be left");
  EXPECT_EQ(count(HandshakeFailure::kTimeout), 2U);
  EXPECT_EQ(count(server::TimeoutPhase::kHandshake), 2U);
  EXPECT_EQ(client->ask(post("still here")).body, "still here");
}

TEST_F(Handshakes, TcpProbeIsCountedAndLoggedAtDebug) {
  start();
  for (int probe = 0; probe < 5; ++probe) {
    const TcpClient connected_and_gone(server_->port());
  }
  wait_until([this] { return count(HandshakeFailure::kEof) == 5; }, "five probes");
  for (const RecordedLine& line : logger_.lines()) EXPECT_EQ(line.level, runtime::Level::kDebug);
}

TEST_F(Handshakes, DistrustingClientIsCountedAsCertificateFailure) {
  start();
  TlsClientOptions stranger = client_options();
  const auto now = std::chrono::system_clock::now();
  stranger.ca_pem =
      certs::make_ca("another", now, now + std::chrono::hours(1)).value().certificate_pem;
  EXPECT_THROW(TlsClient{stranger}, ClientError);
  wait_until([this] { return count(HandshakeFailure::kCertificate) == 1; }, "the count");
}

TEST_F(Handshakes, Http11IsChosenWhenOffered) {
  start();
  TlsClientOptions offering = client_options();
  offering.protocols = {"h2", "http/1.1"};
  TlsClient client(offering);
  EXPECT_EQ(client.protocol(), "http/1.1");
  EXPECT_EQ(client.ask(post("x")).status, 200U);
}

TEST_F(Handshakes, NoProtocolIsChosenWithoutHttp11) {
  start();
  TlsClientOptions offering = client_options();
  offering.protocols = {"h2"};
  EXPECT_EQ(TlsClient(offering).protocol(), "");
  EXPECT_EQ(connect()->protocol(), "");
}

TEST_F(Handshakes, ConnectionIsClosedAndCountedWithoutCertificate) {
  context_.reset();
  start();
  TcpClient client(server_->port());
  EXPECT_TRUE(client.is_closed_within(std::chrono::seconds(5)));
  wait_until([this] { return count(HandshakeFailure::kOther) == 1; }, "the count");
}

class MutualTls : public ServerFixture {
 protected:
  void start_for(std::vector<std::string> allowed_names) {
    start();
    const certs::ClientVerification clients{
        client_ca_.certificate_pem, std::move(allowed_names), {}};
    replace_certificate(&clients);
  }
  // The status it gets, or 0 if it is refused. With TLS 1.3 a client learns of a refusal when it
  // reads.
  unsigned status_for(const certs::KeyPair& pair) {
    TlsClientOptions showing = client_options();
    showing.certificate_pem = pair.certificate_pem;
    showing.key_pem = pair.key_pem;
    try {
      return TlsClient(showing).ask(post("x")).status;
    } catch (const ClientError&) {
      return 0;
    }
  }

  const std::chrono::system_clock::time_point now_ = std::chrono::system_clock::now();
  const certs::KeyPair client_ca_ =
      certs::make_ca("client CA", now_ - std::chrono::minutes(5), now_ + std::chrono::hours(1))
          .value();
};

TEST_F(MutualTls, OnlyNamedClientsAreAccepted) {
  start_for({"kube-apiserver"});
  const auto issue = [](const certs::KeyPair& issuer, const std::string& name) {
    return issue_for_an_hour(issuer, {name}, certs::Usage::kClient);
  };
  EXPECT_EQ(status_for(issue(client_ca_, "kube-apiserver")), 200U);
  EXPECT_EQ(status_for(issue(client_ca_, "somebody")), 0U);
  EXPECT_EQ(status_for(issue(ca_, "kube-apiserver")), 0U);
  EXPECT_EQ(status_for({}), 0U);
  wait_until([this] { return count(HandshakeFailure::kCertificate) == 3; }, "three refusals");
}

// Connections that were accepted before a change. The clock runs faster than the server's sweeps
// and checks: events due within a minute of its time must occur within ten seconds of real time.
class OpenMutualTls : public MutualTls {
 protected:
  OpenMutualTls() {
    options_.watch_interval = Milliseconds(5);
    options_.limits.idle_timeout = std::chrono::hours(24 * 365 * 100);
    options_.limits.handshake_timeout = options_.limits.idle_timeout;
  }
  TlsClientOptions options_showing(const certs::KeyPair& issuer) const {
    const certs::KeyPair pair =
        issue_for_an_hour(issuer, {"kube-apiserver"}, certs::Usage::kClient);
    TlsClientOptions showing = client_options();
    showing.certificate_pem = pair.certificate_pem;
    showing.key_pem = pair.key_pem;
    return showing;
  }
  std::unique_ptr<TlsClient> connect_as(const certs::KeyPair& issuer) {
    auto client = std::make_unique<TlsClient>(options_showing(issuer));
    EXPECT_EQ(client->ask(post("x")).status, 200U);
    return client;
  }
  void trust(const std::string& ca_pem, std::vector<std::string> allowed_names = {}) {
    const certs::ClientVerification clients{ca_pem, std::move(allowed_names), {}};
    replace_certificate(&clients);
  }
  std::uint64_t count_distrusted(server::DistrustReason reason) const {
    return counters_.distrusted_clients.value(reason);
  }

  const certs::KeyPair other_ca_ =
      certs::make_ca("other CA", now_ - std::chrono::minutes(5), now_ + std::chrono::hours(1))
          .value();
};

TEST_F(OpenMutualTls, ConnectionEndsWhenClientCaIsRemoved) {
  start();
  trust(client_ca_.certificate_pem + other_ca_.certificate_pem);
  const auto leaves = connect_as(client_ca_);
  const auto stays = connect_as(other_ca_);
  trust(other_ca_.certificate_pem);
  EXPECT_EQ(leaves->read_to_end(), "");
  EXPECT_TRUE(leaves->was_closed_in_order());
  EXPECT_EQ(count_distrusted(server::DistrustReason::kUntrusted), 1U);
  EXPECT_EQ(logger_.count("a client lost its trust and is disconnected"), 1U);
  EXPECT_EQ(stays->ask(post("x")).status, 200U);
}

TEST_F(OpenMutualTls, ConnectionEndsWhenNameIsNoLongerAllowed) {
  start();
  trust(client_ca_.certificate_pem);
  const auto client = connect_as(client_ca_);
  trust(client_ca_.certificate_pem, {"somebody-else"});
  EXPECT_EQ(client->read_to_end(), "");
}

TEST_F(OpenMutualTls, ConnectionSurvivesRotationThatKeepsCa) {
  start();
  trust(client_ca_.certificate_pem);
  const auto client = connect_as(client_ca_);
  const auto checked = connect_as(client_ca_);
  trust(client_ca_.certificate_pem + other_ca_.certificate_pem);
  const auto newcomer = connect_as(other_ca_);
  trust(client_ca_.certificate_pem);
  EXPECT_EQ(newcomer->read_to_end(), "");  // so the others were checked as well, or will be
  EXPECT_TRUE(client->stays_quiet_for(Milliseconds(250)));
  EXPECT_EQ(client->ask(post("x")).status, 200U);
  EXPECT_EQ(checked->ask(post("x")).status, 200U);
  EXPECT_EQ(count_distrusted(server::DistrustReason::kUntrusted), 1U);
}

// The watch does not see the change in time: a new connection itself triggers the check.
class MutualTlsWithoutWatch : public OpenMutualTls {
 protected:
  MutualTlsWithoutWatch() { options_.watch_interval = std::chrono::hours(1); }
};

TEST_F(MutualTlsWithoutWatch, NewConnectionIsNotCheckedAgainstOlderTrust) {
  start();
  trust(client_ca_.certificate_pem);
  connect_as(client_ca_);
  trust(other_ca_.certificate_pem);
  const auto newcomer = connect_as(other_ca_);
  EXPECT_TRUE(newcomer->stays_quiet_for(Milliseconds(350)));  // three sweeps
  EXPECT_EQ(newcomer->ask(post("x")).status, 200U);
  EXPECT_EQ(count_distrusted(server::DistrustReason::kUntrusted), 0U);
}

// Accepted before the change, with a handshake by the old CA after it.
TEST_F(MutualTlsWithoutWatch, HandshakeFinishedAfterChangeIsRechecked) {
  start();
  trust(client_ca_.certificate_pem);
  TlsClientOptions showing = options_showing(client_ca_);
  showing.handshakes = false;
  TlsClient late(showing);
  connect_as(client_ca_);  // `late` is accepted by now
  trust(other_ca_.certificate_pem);
  connect_as(other_ca_);
  late.shake_hands();
  EXPECT_EQ(late.read_to_end(), "");
  EXPECT_EQ(count_distrusted(server::DistrustReason::kUntrusted), 1U);
}

TEST_F(OpenMutualTls, RunningRequestMayFinish) {
  start();
  trust(client_ca_.certificate_pem);
  const auto client = connect_as(client_ca_);
  client->send(post_with("Content-Type: application/json\r\nContent-Length: 6\r\n", "one"));
  wait_until([this] { return counters_.requests_in_flight == 1; }, "the request");
  trust(other_ca_.certificate_pem);
  wait_until([&] { return count_distrusted(server::DistrustReason::kUntrusted) == 1; },
             "the verdict");
  const ClientAnswer answer = client->ask("two");
  EXPECT_EQ(answer.body, "onetwo");
  EXPECT_TRUE(answer.closes_connection());
  EXPECT_EQ(client->read_to_end(), "");
}

TEST_F(OpenMutualTls, RunningRequestHasTimeLimit) {
  start();
  trust(client_ca_.certificate_pem);
  const auto client = connect_as(client_ca_);
  client->send(post_with("Content-Type: application/json\r\nContent-Length: 6\r\n", "one"));
  wait_until([this] { return counters_.requests_in_flight == 1; }, "the request");
  trust(other_ca_.certificate_pem);
  wait_until([&] { return count_distrusted(server::DistrustReason::kUntrusted) == 1; },
             "the verdict");
  clock_.tick(std::chrono::seconds(10));
  EXPECT_EQ(client->read_answer().status, 408U);
  EXPECT_EQ(client->read_to_end(), "");
}

TEST_F(OpenMutualTls, ConnectionEndsWhenCertificateExpires) {
  start();
  trust(client_ca_.certificate_pem);
  const auto client = connect_as(client_ca_);
  const auto expires = std::chrono::system_clock::now() + std::chrono::hours(1);
  clock_.tick(expires - std::chrono::minutes(1) - clock_.wall());
  EXPECT_TRUE(client->stays_quiet_for(Milliseconds(250)));
  clock_.tick(std::chrono::minutes(2));
  EXPECT_EQ(client->read_to_end(), "");
  EXPECT_TRUE(client->was_closed_in_order());
  EXPECT_EQ(count_distrusted(server::DistrustReason::kExpired), 1U);
}

class Reload : public ServerFixture {};

TEST_F(Reload, NewConnectionsUseNewCertificate) {
  start();
  const auto old_client = connect();
  const std::string old_serial = old_client->server_serial();
  old_client->ask(post("before"));
  replace_certificate();
  const auto new_client = connect();
  EXPECT_NE(new_client->server_serial(), old_serial);
  EXPECT_EQ(old_client->ask(post("after")).body, "after");
  EXPECT_EQ(new_client->ask(post("new")).body, "new");
}

TEST_F(Reload, RunningRequestIsNotAffectedByReload) {
  start();
  const auto client = connect();
  client->send(post_with("Content-Type: application/json\r\nContent-Length: 6\r\n", "one"));
  wait_until([this] { return counters_.requests_in_flight == 1; }, "the request");
  replace_certificate();
  connect()->ask(post("x"));
  EXPECT_EQ(client->ask("two").body, "onetwo");
}

}  // namespace
}  // namespace dynamo::test
