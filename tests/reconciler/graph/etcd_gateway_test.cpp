// Calls to etcd's gateway: servers that answer, fail, hang or do not exist.
#include "reconciler/component/etcd_gateway.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/certs/fixtures.hpp"
#include "tests/kube/scripted_server.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_cluster.hpp"
#include "tests/support/temporary_directory.hpp"

namespace dynamo::reconciler::component {
namespace {

using test::answer;
using test::answering;
using test::Peer;
using test::Script;
using test::ScriptedServer;
using test::stalling;
using ::testing::HasSubstr;
using ::testing::Not;

class EtcdGatewayTest : public ::testing::Test {
 protected:
  std::string post(const std::string& url) {
    HttpEtcdGatewayOptions options;
    options.deadline = std::chrono::milliseconds(1'500);
    options.files = files_;
    HttpEtcdGateway gateway(options, clock_);
    return test::run(loop_, gateway.post(url, R"({"key":"YQ=="})", [this] { return leads_; }));
  }
  std::string post_to(const Script& script, const std::string& scheme = "http") {
    ScriptedServer server(std::vector{script});
    return post(scheme + "://127.0.0.1:" + std::to_string(server.port()) + "/v3/kv/txn");
  }

  std::string file(const std::string& name, const std::string& text) const {
    const std::string path = (directory_.path() / name).string();
    std::ofstream(path) << text;
    return path;
  }
  void set_user() {
    files_.username = file("username", "reconciler\n");
    files_.password = file("password", "p\"w");
  }

  boost::asio::io_context loop_;
  test::FakeClock clock_{std::chrono::system_clock::now()};  // of the certificates
  bool leads_ = true;
  EtcdFiles files_;
  test::TemporaryDirectory directory_;
};

TEST_F(EtcdGatewayTest, SuccessfulAnswerReturnsNoError) {
  EXPECT_EQ(post_to(answering(answer(200, R"({"deleted":"1"})"))), "");
}

TEST_F(EtcdGatewayTest, OtherStatusIsReportedInOneLine) {
  EXPECT_EQ(post_to(answering(answer(503, "no leader"))), "answered HTTP 503");
  EXPECT_EQ(post_to(answering(answer(307, "", "Location: http://127.0.0.1:1/\r\n"))),
            "answered HTTP 307");
}

TEST_F(EtcdGatewayTest, HangingOrClosingServerReturnsAnError) {
  EXPECT_NE(post_to(stalling()), "");
  EXPECT_NE(post_to([](Peer& peer) {
              peer.read_request();
              peer.cut();
            }),
            "");
}

TEST_F(EtcdGatewayTest, NothingIsSentAfterLosingLeadership) {
  leads_ = false;
  bool was_asked = false;
  EXPECT_THAT(post_to([&was_asked](Peer& peer) { was_asked = !peer.read_request().empty(); }),
              HasSubstr("another may lead"));
  EXPECT_FALSE(was_asked);
}

TEST_F(EtcdGatewayTest, PasswordIsExchangedForToken) {
  set_user();
  std::vector<std::string> requests;
  const Script script = [&requests](Peer& peer) {
    requests.push_back(peer.read_request());
    peer.send(answer(200, R"({"token":"abc.1"})"));
    requests.push_back(peer.read_request());
    peer.send(answer(200, "{}"));
  };
  EXPECT_EQ(post_to(script), "");
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_THAT(requests[0], HasSubstr("POST /v3/auth/authenticate "));
  EXPECT_THAT(requests[0], HasSubstr(R"({"name":"reconciler","password":"p\"w"})"));
  EXPECT_THAT(requests[0], Not(HasSubstr("Authorization")));
  EXPECT_THAT(requests[1], HasSubstr("POST /v3/kv/txn "));
  EXPECT_THAT(requests[1], HasSubstr("\r\nAuthorization: abc.1\r\n"));
}

TEST_F(EtcdGatewayTest, RefusedPasswordIsReportedWithoutARequest) {
  set_user();
  EXPECT_EQ(post_to(answering(answer(401, "{}"))), "authentication: answered HTTP 401");
  EXPECT_EQ(post_to(answering(answer(200, "{}"))), "authentication: answered without a token");
  EXPECT_EQ(post_to(answering(answer(200, R"({"token":"a\r\nX: y"})"))),
            "authentication: answered without a token");
}

TEST_F(EtcdGatewayTest, MissingFileIsReported) {
  files_.username = file("username", "reconciler");
  files_.password = (directory_.path() / "absent").string();
  EXPECT_THAT(post("http://127.0.0.1:1/x"), HasSubstr("absent cannot be read, or is empty"));
  files_ = {};
  files_.certificate = (directory_.path() / "tls.crt").string();
  EXPECT_THAT(post("https://127.0.0.1:1/x"), HasSubstr("tls.crt cannot be read, or is empty"));
}

TEST_F(EtcdGatewayTest, ClientCertificateIsPresented) {
  const auto now = std::chrono::system_clock::now();
  const test::TestCa authority(now);
  test::ScriptedOptions mutual;
  mutual.pair = authority.leaf({"127.0.0.1"});
  mutual.client_ca_pem = authority.pem();
  ScriptedServer server(std::vector{answering(answer(200, "{}"))}, mutual);
  const std::string url = "https://127.0.0.1:" + std::to_string(server.port()) + "/v3/kv/txn";
  files_.ca = file("ca.crt", authority.pem());
  EXPECT_NE(post(url), "");
  const certs::KeyPair client = authority.client("reconciler");
  files_.certificate = file("tls.crt", client.certificate_pem);
  files_.key = file("tls.key", client.key_pem);
  EXPECT_EQ(post(url), "");
}

TEST_F(EtcdGatewayTest, ServerWithoutTlsIsRejected) {
  EXPECT_NE(post_to([](Peer& peer) { peer.send("HTTP/1.1 200 OK\r\n\r\n"); }, "https"), "");
}

TEST_F(EtcdGatewayTest, InvalidAddressIsReported) {
  EXPECT_THAT(post("etcd:2379/x"), HasSubstr("must be http:// or https://"));
  EXPECT_THAT(post("ftp://etcd/x"), HasSubstr("must be http:// or https://"));
  EXPECT_THAT(post("https:///x"), HasSubstr("must be http:// or https://"));
}

}  // namespace
}  // namespace dynamo::reconciler::component
