// The process of --role keeper: its writes, metrics and shutdown.
#include "webhook/certificate_keeper.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <thread>

#include "runtime/clock.hpp"
#include "runtime/file_descriptor.hpp"
#include "tests/support/fake_cluster.hpp"
#include "tests/support/tls_client.hpp"
#include "webhook/flags.hpp"
#include "webhook/managed_certificates.hpp"

namespace dynamo::webhook {
namespace {

using namespace std::chrono_literals;
using test::TcpClient;
using ::testing::HasSubstr;
using ::testing::Not;

class CertificateKeeperTest : public ::testing::Test {
 protected:
  CertificateKeeperTest() {
    options_.health_probe_bind_address = {"127.0.0.1", 0};
    options_.metrics_bind_address = {"127.0.0.1", 0};
    options_.cert_mode = CertMode::kManaged;
    options_.role = Role::kKeeper;
    options_.own_namespace = "dynamo";
  }

  void start() {
    keeper_.emplace(options_, CertificateKeeper::Dependencies{
                                  .log = log_,
                                  .clock = clock_,
                                  .connect =
                                      [this](boost::asio::io_context& loop) {
                                        loop_ = &loop;
                                        return cluster_.connect("keeper");
                                      },
                                  .managed = *managed_settings(options_, {}, true).value(),
                              });
    const auto started = keeper_->start();
    ASSERT_TRUE(started) << started.error().text;
  }

  // The cluster lives on the control loop's thread as long as the keeper.
  bool has_secret() {
    std::promise<bool> answer;
    boost::asio::post(*loop_, [&] { answer.set_value(!cluster_.all(kube::kSecrets).empty()); });
    return answer.get_future().get();
  }
  static std::string get(std::uint16_t port, const std::string& path) {
    return TcpClient(port).ask("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n").body;
  }
  static bool comes_true(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + 10s;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }

  const runtime::SystemClock clock_;
  const runtime::FileDescriptor null_{::open("/dev/null", O_WRONLY | O_CLOEXEC)};
  runtime::Log log_{{.descriptor = null_.get()}, clock_};
  Options options_ = default_options();
  boost::asio::io_context* loop_ = nullptr;
  test::FakeCluster cluster_;
  std::optional<CertificateKeeper> keeper_;
};

TEST_F(CertificateKeeperTest, SecretIsWrittenAndKeeperLeads) {
  start();
  EXPECT_TRUE(comes_true([this] { return has_secret(); }));
  EXPECT_TRUE(comes_true([this] {
    return get(keeper_->metrics_port(), "/metrics").find("\ndynamo_webhook_leads 1\n") !=
           std::string::npos;
  }));
  EXPECT_TRUE(comes_true([this] {
    const auto answer =
        TcpClient(keeper_->probe_port()).ask("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n");
    return answer.status == 200;
  }));
}

TEST_F(CertificateKeeperTest, ServerReadinessIsNotExported) {
  start();
  ASSERT_TRUE(comes_true([this] { return has_secret(); }));
  const std::string metrics = get(keeper_->metrics_port(), "/metrics");
  EXPECT_THAT(metrics, HasSubstr("\ndynamo_webhook_unverified_ca_bundles 0\n"));
  EXPECT_THAT(metrics, Not(HasSubstr("\ndynamo_webhook_ready")));
}

TEST_F(CertificateKeeperTest, RequestsOnlyConcernCertificates) {
  options_.restricted_namespace = "team-a";
  options_.cluster_lookups = {"all"};
  start();
  ASSERT_TRUE(comes_true([this] { return has_secret(); }));
  keeper_->stop();
  for (const test::Call& call : cluster_.calls()) {
    EXPECT_THAT(call.target, Not(HasSubstr("team-a")));
    EXPECT_THAT(call.target, Not(HasSubstr("configmaps")));
    EXPECT_THAT(call.target, Not(HasSubstr("dynamographdeployments")));
  }
}

TEST_F(CertificateKeeperTest, ReportIsWithdrawnOnStop) {
  start();
  // nullopt: there is no Lease.
  const auto reports = [this]() -> std::optional<int> {
    const auto lease = cluster_.find(kube::kLeases, "dynamo", "dynamo-webhook-replicas");
    if (!lease) return std::nullopt;
    int count = 0;
    for (const json::Member& each : lease->root()["metadata"]["annotations"].members()) {
      if (each.name.starts_with("nvidia.com/dynamo-webhook-replica-")) ++count;
    }
    return count;
  };
  ASSERT_TRUE(comes_true([&] {
    std::promise<bool> answer;
    boost::asio::post(*loop_, [&] { answer.set_value(reports() == 1); });
    return answer.get_future().get();
  }));
  keeper_->stop();
  EXPECT_EQ(reports(), 0);
}

}  // namespace
}  // namespace dynamo::webhook
