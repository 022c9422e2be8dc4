// The webhook with --cert-mode managed: serving, writes, reports and shutdown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "tests/support/fake_cluster.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/tls_client.hpp"
#include "tests/webhook/program_fixture.hpp"
#include "text/base64.hpp"
#include "webhook/managed_certificates.hpp"
#include "webhook/webhook.hpp"

namespace dynamo::webhook {
namespace {

using namespace std::chrono_literals;
using test::ClientAnswer;
using test::TlsClient;
using ::testing::HasSubstr;
using ::testing::Not;

Options managed_options() {
  Options options = options_on_free_ports();
  options.cert_mode = CertMode::kManaged;
  options.own_namespace = "dynamo";
  return options;
}

class WebhookManagedTest : public ProgramInClusterTest {
 protected:
  void start() {
    const Options options = managed_options();
    webhook_.emplace(options, WebhookDependencies{
                                  .log = log_,
                                  .clock = clock_,
                                  .connect = connect_as("server"),
                                  .managed = managed_settings(options, {}, true).value(),
                              });
    const auto started = webhook_->start();
    ASSERT_TRUE(started) << started.error().text;
  }

  void add_configuration() {
    cluster_.put(kube::kValidatingWebhookConfigurations, R"({
      "metadata": {"name": "dynamo", "labels": {"nvidia.com/dynamo-webhook-inject-ca": "true"}},
      "webhooks": [{"name": "graphs.nvidia.com", "sideEffects": "None",
        "admissionReviewVersions": ["v1"], "clientConfig": {"service": {
          "namespace": "dynamo", "name": "dynamo-webhook"}}}]})");
  }
  std::string bundle() {
    return on_loop([this] {
      const auto found = cluster_.find(kube::kValidatingWebhookConfigurations, "", "dynamo");
      for (const json::Value webhook : found->root()["webhooks"].elements()) {
        const json::Value text = webhook["clientConfig"]["caBundle"];
        return text::decode_base64(text.string_or_empty()).value_or("");
      }
      return std::string();
    });
  }
  std::size_t leases() {
    return on_loop([this] { return cluster_.all(kube::kLeases).size(); });
  }

  ClientAnswer readiness() const { return get(webhook_->probe_port(), "/readyz"); }
  std::string scrape() const { return get(webhook_->metrics_port(), "/metrics").body; }

  std::optional<Webhook> webhook_;
};

TEST_F(WebhookManagedTest, IsReadyWhenCaBundleVerifiesItsCertificate) {
  add_configuration();
  start();
  ASSERT_TRUE(comes_true([this] { return readiness().status == 200; })) << readiness().body;
  test::TlsClientOptions client;
  client.port = webhook_->port();
  client.ca_pem = bundle();
  client.server_name = "dynamo-webhook.dynamo.svc";
  EXPECT_NO_THROW(TlsClient{client});
  client.server_name = "another.dynamo.svc";
  EXPECT_THROW(TlsClient{client}, test::ClientError);
}

TEST_F(WebhookManagedTest, ReadinessNamesMissingParts) {
  add_configuration();
  cluster_.forbid("create", "secrets");
  start();
  ASSERT_TRUE(comes_true([this] {
    return readiness().body.find("it cannot be written") != std::string::npos;
  })) << readiness().body;
  EXPECT_THAT(readiness().body,
              HasSubstr("no certificate yet: the Secret dynamo/dynamo-webhook-cert: there is no "
                        "content; it cannot be written: create secrets dynamo"));
  EXPECT_THAT(readiness().body, HasSubstr("[-]managed certificates failed: the Secret"));
}

TEST_F(WebhookManagedTest, LeadsAndCountsItsWrites) {
  add_configuration();
  start();
  ASSERT_TRUE(comes_true([this] { return readiness().status == 200; })) << readiness().body;
  const std::string page = scrape();
  EXPECT_THAT(page,
              HasSubstr("dynamo_webhook_certificate_secret_writes_total{cause=\"missing\"} 1"));
  EXPECT_THAT(page, HasSubstr("dynamo_webhook_ca_injections_total{result=\"applied\"} 1"));
  EXPECT_THAT(page, HasSubstr("dynamo_webhook_ca_rotation_phase 0"));
  EXPECT_THAT(page, HasSubstr("dynamo_webhook_unverified_ca_bundles 0"));
  EXPECT_THAT(page, HasSubstr("dynamo_webhook_leads 1"));
  EXPECT_THAT(page, HasSubstr("dynamo_webhook_ca_not_after_seconds{ca=\"in_use\"}"));
  EXPECT_THAT(page, Not(HasSubstr("dynamo_webhook_ca_not_after_seconds{ca=\"next\"}")));
}

TEST_F(WebhookManagedTest, RequestedCertificateIsServedToNewConnections) {
  start();
  ASSERT_TRUE(comes_true([this] { return readiness().status == 200; })) << readiness().body;
  test::TlsClientOptions client;
  client.port = webhook_->port();
  client.server_name = "dynamo-webhook.dynamo.svc";
  client.ca_pem = on_loop([this] {
    const auto secret = cluster_.find(kube::kSecrets, "dynamo", "dynamo-webhook-cert");
    return text::decode_base64(secret->root()["data"]["ca.crt"].string_or_empty()).value_or("");
  });
  TlsClient before(client);
  on_loop([this] {
    cluster_.merge(kube::kSecrets, "dynamo", "dynamo-webhook-cert",
                   R"({"metadata":{"annotations":{"nvidia.com/dynamo-webhook-rotate":"leaf"}}})");
  });
  EXPECT_TRUE(
      comes_true([&] { return TlsClient(client).server_serial() != before.server_serial(); }));
  // Existing connections stay open.
  const ClientAnswer answer = before.ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_NE(answer.status, 0U);
}

TEST_F(WebhookManagedTest, ReportAndLeaseAreReleasedOnStop) {
  start();
  ASSERT_TRUE(comes_true([this] { return readiness().status == 200; })) << readiness().body;
  ASSERT_TRUE(comes_true([this] { return leases() == 2; }));
  webhook_->stop();
  const auto left = on_loop([this] {
    std::string names;
    for (const kube::Object& lease : cluster_.all(kube::kLeases)) {
      names += std::string(lease.name()) + ":" +
               std::string(lease.root()["spec"]["holderIdentity"].string_or_empty());
    }
    return names;
  });
  EXPECT_EQ(left, "dynamo-webhook-leader:");
}

TEST(ManagedSettings, AreReadFromFlagsAndPodNamespace) {
  const test::TemporaryDirectory account;
  const std::filesystem::path& directory = account.path();
  std::ofstream(directory / "namespace") << "from-the-pod\n";
  Options options = managed_options();
  options.own_namespace.clear();
  options.service = "hook";
  options.leaf_lifetime = 48h;
  process::ClusterEnvironment environment;
  environment.service_account_directory = directory;
  const auto settings = managed_settings(options, environment, true).value();
  ASSERT_TRUE(settings.has_value());
  EXPECT_EQ(settings->namespace_name, "from-the-pod");
  EXPECT_EQ(settings->service, "hook");
  EXPECT_EQ(settings->leaf_lifetime, 48h);
  EXPECT_EQ(settings->ca_lifetime, 87'600h);
  EXPECT_NE(settings->identity, managed_settings(options, environment, true).value()->identity);
  options.own_namespace = "from-the-flag";
  EXPECT_EQ(managed_settings(options, environment, true).value()->namespace_name, "from-the-flag");
}

TEST(ManagedSettings, RequireConnectionAndNamespace) {
  Options options = managed_options();
  EXPECT_EQ(managed_settings(options, {}, false).error().text,
            "--cert-mode managed must have a connection to a cluster; found neither --kubeconfig "
            "nor the environment of a pod");
  options.own_namespace.clear();
  EXPECT_EQ(managed_settings(options, {}, true).error().text,
            "--cert-mode managed must know where its Service is; give --namespace, which has no "
            "default outside of a pod");
  options.cert_mode = CertMode::kFiles;
  EXPECT_FALSE(managed_settings(options, {}, false).value().has_value());
}

}  // namespace
}  // namespace dynamo::webhook
