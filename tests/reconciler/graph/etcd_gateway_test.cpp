// Calls to etcd's gateway: servers that answer, fail, hang or do not exist.
#include "reconciler/component/etcd_gateway.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/kube/scripted_server.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_cluster.hpp"

namespace dynamo::reconciler::component {
namespace {

using test::answer;
using test::answering;
using test::Peer;
using test::Script;
using test::ScriptedServer;
using test::stalling;
using ::testing::HasSubstr;

class EtcdGatewayTest : public ::testing::Test {
 protected:
  std::string post(const std::string& url) {
    HttpEtcdGatewayOptions options;
    options.deadline = std::chrono::milliseconds(1'500);
    HttpEtcdGateway gateway(options, clock_);
    return test::run(loop_, gateway.post(url, R"({"key":"YQ=="})", [this] { return leads_; }));
  }
  std::string post_to(const Script& script, const std::string& scheme = "http") {
    ScriptedServer server(std::vector{script});
    return post(scheme + "://127.0.0.1:" + std::to_string(server.port()) + "/v3/kv/txn");
  }

  boost::asio::io_context loop_;
  test::FakeClock clock_;
  bool leads_ = true;
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
