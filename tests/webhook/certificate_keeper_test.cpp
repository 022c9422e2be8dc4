// The process of --role keeper: its writes, metrics and shutdown.
#include "webhook/certificate_keeper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/support/fake_cluster.hpp"
#include "tests/webhook/program_fixture.hpp"
#include "webhook/managed_certificates.hpp"

namespace dynamo::webhook {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class CertificateKeeperTest : public ProgramInClusterTest {
 protected:
  CertificateKeeperTest() {
    options_.cert_mode = CertMode::kManaged;
    options_.role = Role::kKeeper;
    options_.own_namespace = "dynamo";
  }

  void start() {
    keeper_.emplace(options_, CertificateKeeper::Dependencies{
                                  .log = log_,
                                  .clock = clock_,
                                  .connect = connect_as("keeper"),
                                  .managed = *managed_settings(options_, {}, true).value(),
                              });
    const auto started = keeper_->start();
    ASSERT_TRUE(started) << started.error().text;
  }

  bool has_secret() {
    return on_loop([this] { return !cluster_.all(kube::kSecrets).empty(); });
  }
  std::string scrape() const { return get(keeper_->metrics_port(), "/metrics").body; }

  std::optional<CertificateKeeper> keeper_;
};

TEST_F(CertificateKeeperTest, SecretIsWrittenAndKeeperLeads) {
  start();
  EXPECT_TRUE(comes_true([this] { return has_secret(); }));
  EXPECT_TRUE(comes_true(
      [this] { return scrape().find("\ndynamo_webhook_leads 1\n") != std::string::npos; }));
  EXPECT_TRUE(comes_true([this] { return get(keeper_->probe_port(), "/readyz").status == 200; }));
}

TEST_F(CertificateKeeperTest, ServerReadinessIsNotExported) {
  start();
  ASSERT_TRUE(comes_true([this] { return has_secret(); }));
  const std::string metrics = scrape();
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
  ASSERT_TRUE(comes_true([&] { return on_loop(reports) == 1; }));
  keeper_->stop();
  EXPECT_EQ(reports(), 0);
}

}  // namespace
}  // namespace dynamo::webhook
