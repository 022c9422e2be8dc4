// The webhook with a cluster connection: leases that exempt namespaces, its own marker lease,
// readiness, and shutdown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "certs/issue.hpp"
#include "tests/support/api_server.hpp"
#include "tests/support/fake_cluster.hpp"
#include "tests/support/objects.hpp"
#include "tests/support/recording_logger.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/tls_client.hpp"
#include "tests/webhook/program_fixture.hpp"
#include "text/micro_time.hpp"
#include "webhook/cluster_settings.hpp"
#include "webhook/webhook.hpp"

namespace dynamo::webhook {
namespace {

using namespace std::chrono_literals;
using test::ClientAnswer;
using test::TlsClient;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view kValidating = "/validate-nvidia-com-v1alpha1-dynamographdeployment";
constexpr std::string_view kMutating = "/mutate-nvidia-com-v1alpha1-dynamographdeployment";
constexpr std::string_view kUs = "namespace-restricted-operator-1.4.2";

class WebhookInClusterTest : public ProgramInClusterTest {
 protected:
  WebhookInClusterTest() {
    options_.cert_mode = CertMode::kSelfSigned;
    options_.cert_dir = directory_.path();
    options_.operator_version = "1.4.2";
  }
  ~WebhookInClusterTest() override { webhook_.reset(); }

  void start() {
    webhook_.emplace(options_, WebhookDependencies{
                                   .log = log_, .clock = clock_, .connect = connect_as("server")});
    const auto started = webhook_->start();
    ASSERT_TRUE(started) << started.error().text;
  }

  // For tests that wait for a later attempt. Half of the interval is the deadline of a call, so
  // that calls may fail on a busy machine.
  void renew_often() { options_.namespace_scope_lease_renew_interval = 1ms; }

  void put_lease(std::string_view namespace_name, std::string_view holder,
                 std::chrono::seconds ahead = 0s) {
    cluster_.put(kube::kLeases,
                 R"({"metadata":{"name":"dynamo-operator-namespace-scope","namespace":")" +
                     std::string(namespace_name) + R"("},"spec":{"holderIdentity":")" +
                     std::string(holder) + R"(","leaseDurationSeconds":30,"renewTime":")" +
                     text::format_micro_time(clock_.wall() + ahead) + R"("}})");
  }
  std::string holder_of(std::string_view namespace_name) {
    const auto lease =
        cluster_.find(kube::kLeases, namespace_name, admission::kNamespaceScopeLease);
    return lease ? cluster::read_lease(lease->root()["spec"]).holder : "";
  }

  ClientAnswer readiness() const { return get(webhook_->probe_port(), "/readyz"); }
  std::string scrape() const { return get(webhook_->metrics_port(), "/metrics").body; }

  // The API server's result for a graph in namespace "default".
  test::ResponseCheck ask(std::string_view spec, std::string_view path = kValidating) const {
    const json::Document object =
        test::from_yaml(test::object_text(api::Kind::kGraphDeployment, spec));
    const std::string review = test::review_text({.object = object.root()});
    test::TlsClientOptions client;
    client.port = webhook_->port();
    std::ifstream file(directory_.path() / "ca.crt", std::ios::binary);
    client.ca_pem = {std::istreambuf_iterator<char>(file), {}};
    client.certificate_pem = client_.certificate_pem;
    client.key_pem = client_.key_pem;
    const ClientAnswer answer =
        TlsClient(client).ask("POST " + std::string(path) +
                              " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                              "Content-Length: " +
                              std::to_string(review.size()) + "\r\n\r\n" + review);
    return test::accept_answer(
        review, answer.body,
        path == kMutating ? test::Webhook::kMutating : test::Webhook::kValidating);
  }

  // Clients must present a certificate, and ask() does.
  void ask_for_client_certificates() {
    const auto now = clock_.wall();
    const certs::KeyPair ca = certs::make_ca("clients", now - 5min, now + 2h).value();
    client_ = certs::issue(ca, {.names = {},
                                .not_before = now - 5min,
                                .not_after = now + 1h,
                                .usage = certs::Usage::kClient})
                  .value()
                  .pair;
    options_.client_ca_file = (directory_.path() / "clients.crt").string();
    std::ofstream(options_.client_ca_file, std::ios::binary) << ca.certificate_pem;
  }

  bool becomes_ready() const {
    return comes_true([this] { return readiness().status == 200; });
  }
  bool start_until_ready() {
    start();
    return becomes_ready();
  }

  const test::TemporaryDirectory directory_;
  certs::KeyPair client_;  // used by ask()
  std::optional<Webhook> webhook_;
};

constexpr std::string_view kBad = "{services: {}}";
constexpr std::string_view kUndefaulted = "{services: {A: {componentType: frontend, replicas: 1}}}";

TEST_F(WebhookInClusterTest, NamespaceOfAnotherOperatorIsSkipped) {
  put_lease("default", "operator-of-default");
  ASSERT_TRUE(start_until_ready());
  const test::ResponseCheck accepted = ask(kBad);
  EXPECT_EQ(accepted.complaint, "");
  EXPECT_TRUE(accepted.allowed);
  EXPECT_EQ(accepted.audit_key, "namespace-lease-holder");
  EXPECT_EQ(accepted.audit_value, "operator-of-default");
  ASSERT_EQ(accepted.warnings.size(), 1U);
  EXPECT_THAT(accepted.warnings[0], HasSubstr("not validated: Lease default/"));
  const test::ResponseCheck defaulted = ask(kUndefaulted, kMutating);
  EXPECT_TRUE(defaulted.warnings.empty());
  EXPECT_EQ(defaulted.complaint, "");
  EXPECT_TRUE(defaulted.allowed);
  EXPECT_EQ(defaulted.patch, "");
  const std::string metrics = scrape();
  EXPECT_THAT(metrics, HasSubstr("dynamo_webhook_exempted_requests_total{resource_type="
                                 "\"DynamoGraphDeployment\",reason=\"namespace_lease\"} 2\n"));
  EXPECT_THAT(metrics, HasSubstr("\ndynamo_webhook_namespace_leases 1\n"));
  EXPECT_THAT(metrics, HasSubstr("\ndynamo_webhook_namespace_lease_watch_open 1\n"));
  EXPECT_THAT(metrics, Not(HasSubstr("\ndynamo_webhook_marker_lease_held")));

  on_loop([this] { cluster_.erase(kube::kLeases, "default", admission::kNamespaceScopeLease); });
  EXPECT_TRUE(comes_true([this] { return !ask(kBad).allowed; }));
  EXPECT_NE(ask(kUndefaulted, kMutating).patch, "");
}

TEST_F(WebhookInClusterTest, NamespaceOfRejectedLeaseIsEvaluated) {
  options_.lease_holders = {"operator-*"};
  options_.lease_namespaces = {"default", "team-*"};
  options_.lease_max_duration = 1min;
  put_lease("default", "operator-of-default", 24h);
  put_lease("team-a", "mallory");
  put_lease("lab", "operator-of-lab");
  put_lease("team-b", "operator-of-b");
  ASSERT_TRUE(start_until_ready());
  EXPECT_FALSE(ask(kBad).allowed);
  const std::string metrics = scrape();
  for (const std::string_view line :
       {"namespace_leases 1\n", "doubted_namespace_leases{reason=\"future\"} 1\n",
        "doubted_namespace_leases{reason=\"duration\"} 0\n",
        "doubted_namespace_leases{reason=\"namespace\"} 1\n",
        "doubted_namespace_leases{reason=\"holder\"} 1\n"}) {
    EXPECT_THAT(metrics, HasSubstr("\ndynamo_webhook_" + std::string(line)));
  }
  EXPECT_TRUE(comes_true(
      [this] { return on_loop([this] { return cluster_.all(kube::kEvents).size(); }) == 3; }));
}

TEST_F(WebhookInClusterTest, IsUnreadyButEvaluatesUntilLeasesAreListed) {
  cluster_.set_reachable(false);
  start();
  ASSERT_TRUE(comes_true([this] {
    return readiness().body.find(
               "[-]cluster failed: the leases of namespaces were not listed yet: "
               "list leases.coordination.k8s.io") != std::string::npos;
  })) << readiness().body;
  EXPECT_EQ(readiness().status, 503U);
  EXPECT_FALSE(ask(kBad).allowed);
  on_loop([this] { cluster_.set_reachable(true); });
  EXPECT_TRUE(becomes_ready());
}

TEST_F(WebhookInClusterTest, StaysReadyWhenApiServerIsUnavailable) {
  put_lease("default", "operator-of-default");
  ASSERT_TRUE(start_until_ready());
  on_loop([this] { cluster_.set_reachable(false); });
  ASSERT_TRUE(comes_true([this] {
    return scrape().find("\ndynamo_webhook_namespace_lease_watch_open 0\n") != std::string::npos;
  }));
  EXPECT_EQ(readiness().status, 200U);
  EXPECT_TRUE(ask(kBad).allowed);
}

TEST_F(WebhookInClusterTest, ServedApisAffectVerdict) {
  cluster_.set_groups({"apps"});
  start();
  ASSERT_TRUE(comes_true([this] {
    return scrape().find("\ndynamo_webhook_cluster_fact{fact=\"inference_pool\"} 0\n") !=
           std::string::npos;
  }));
  EXPECT_THAT(scrape(), HasSubstr("\ndynamo_webhook_cluster_fact{fact=\"grove\"} 0\n"));
  EXPECT_THAT(scrape(),
              HasSubstr("\ndynamo_webhook_operator_generation{generation=\"unknown\"} 1\n"));
  constexpr std::string_view kPicker =
      "{services: {Frontend: {" DYNAMO_GOOD_SERVICE
      "}, Epp: {componentType: epp, replicas: 1, "
      "extraPodSpec: {mainContainer: {image: a}}, eppConfig: {config: {}}}}}";
  const test::ResponseCheck denied = ask(kPicker);
  EXPECT_EQ(denied.audit_key, "denied-by");
  EXPECT_THAT(denied.audit_value, HasSubstr("epp.inference-pool.available"));
}

TEST_F(WebhookInClusterTest, DanglingReferencesWarnWithLookups) {
  constexpr std::string_view kAsksForToken =
      "{services: {A: {" DYNAMO_GOOD_SERVICE ", envFromSecret: hf-token}}}";
  options_.cluster_lookups = {"secrets"};
  ask_for_client_certificates();
  start();
  ASSERT_TRUE(comes_true([&] { return !ask(kAsksForToken).warnings.empty(); }));
  const test::ResponseCheck warned = ask(kAsksForToken);
  EXPECT_TRUE(warned.allowed);
  EXPECT_THAT(warned.warnings, ElementsAre(HasSubstr("[cross.secret-missing]")));
  EXPECT_THAT(scrape(), HasSubstr("\ndynamo_webhook_lookup_objects{kind=\"Secret\"} 0\n"));
  EXPECT_THAT(scrape(), Not(HasSubstr("\ndynamo_webhook_lookup_objects{kind=\"ConfigMap\"}")));
  on_loop([this] {
    cluster_.put(kube::kSecrets, R"({"metadata":{"name":"hf-token","namespace":"default"}})");
  });
  EXPECT_TRUE(comes_true([&] { return ask(kAsksForToken).warnings.empty(); }));
}

TEST_F(WebhookInClusterTest, SecretLookupNeedsClientCertificates) {
  options_.cluster_lookups = {"all"};
  start();
  ASSERT_TRUE(comes_true([this] {
    return scrape().find("\ndynamo_webhook_lookup_objects{kind=\"ConfigMap\"} 0\n") !=
           std::string::npos;
  }));
  EXPECT_THAT(scrape(), Not(HasSubstr("\ndynamo_webhook_lookup_objects{kind=\"Secret\"}")));
  EXPECT_THAT(ask("{services: {A: {" DYNAMO_GOOD_SERVICE ", envFromSecret: hf-token}}}").warnings,
              IsEmpty());
  on_loop([this] {
    for (const test::Call& call : cluster_.calls()) {
      EXPECT_THAT(call.target, Not(HasSubstr("/secrets")));
    }
  });
}

TEST_F(WebhookInClusterTest, LookupsAreOffByDefault) {
  ASSERT_TRUE(start_until_ready());
  EXPECT_THAT(ask("{services: {A: {" DYNAMO_GOOD_SERVICE ", envFromSecret: x}}}").warnings,
              IsEmpty());
  on_loop([this] {
    for (const test::Call& call : cluster_.calls()) {
      EXPECT_THAT(call.target, Not(HasSubstr("/secrets"))) << call.target;
    }
  });
  EXPECT_THAT(scrape(), Not(HasSubstr("\ndynamo_webhook_lookup_objects{")));
}

TEST_F(WebhookInClusterTest, IsReadyWithoutRightToLookUp) {
  cluster_.forbid("list", "secrets");
  options_.cluster_lookups = {"all"};
  ask_for_client_certificates();
  ASSERT_TRUE(start_until_ready());
  ASSERT_TRUE(comes_true([this] {
    const std::string metrics = scrape();
    return metrics.find("\ndynamo_webhook_lookup_objects{kind=\"ConfigMap\"} 0\n") !=
               std::string::npos &&
           metrics.find("\ndynamo_webhook_lookup_watch_restarts_total{kind=\"Secret\"} 1\n") !=
               std::string::npos;
  })) << scrape();
  EXPECT_THAT(ask("{services: {A: {" DYNAMO_GOOD_SERVICE ", envFromSecret: x}}}").warnings,
              IsEmpty());
}

TEST_F(WebhookInClusterTest, MissingRightIsLogged) {
  cluster_.forbid("list", "leases");
  start();
  EXPECT_TRUE(comes_true([this] {
    const std::string body = readiness().body;
    return body.find("list leases.coordination.k8s.io: Forbidden") != std::string::npos;
  })) << readiness().body;
}

TEST_F(WebhookInClusterTest, RestrictedServerHoldsLeaseUntilStopped) {
  options_.restricted_namespace = "default";
  ASSERT_TRUE(start_until_ready());
  on_loop([this] { EXPECT_EQ(holder_of("default"), kUs); });
  EXPECT_FALSE(ask(kBad).allowed);  // its own lease excludes nothing
  EXPECT_THAT(scrape(), HasSubstr("\ndynamo_webhook_marker_lease_held 1\n"));
  EXPECT_THAT(scrape(), Not(HasSubstr("\ndynamo_webhook_namespace_leases")));
  webhook_->stop();
  on_loop([this] { EXPECT_EQ(holder_of("default"), ""); });
}

// Any client with the right to write Leases in a namespace can do this: it must neither stop the
// server nor make it unready.
TEST_F(WebhookInClusterTest, RestrictedServerEvaluatesNamespaceWithForeignLease) {
  options_.restricted_namespace = "default";
  put_lease("default", "operator-of-default");
  ASSERT_TRUE(start_until_ready());
  EXPECT_FALSE(ask(kBad).allowed);
  const std::string metrics = scrape();
  EXPECT_THAT(metrics, HasSubstr("\ndynamo_webhook_marker_lease_held 0\n"));
  EXPECT_THAT(metrics, HasSubstr("\ndynamo_webhook_marker_lease_failures_total 0\n"));
  EXPECT_THAT(metrics, Not(HasSubstr("\ndynamo_webhook_marker_lease_contested_total 0\n")));
  webhook_->stop();
  on_loop([this] { EXPECT_EQ(holder_of("default"), "operator-of-default"); });
}

TEST_F(WebhookInClusterTest, RestrictedServerContinuesWhenLeaseIsTaken) {
  options_.restricted_namespace = "default";
  renew_often();
  ASSERT_TRUE(start_until_ready());
  on_loop([this] { put_lease("default", "operator-of-default"); });
  ASSERT_TRUE(comes_true([this] {
    return scrape().find("\ndynamo_webhook_marker_lease_held 0\n") != std::string::npos;
  }));
  EXPECT_TRUE(becomes_ready());
  EXPECT_FALSE(ask(kBad).allowed);
  webhook_->stop();
  EXPECT_EQ(webhook_->wait(), 0);
}

TEST_F(WebhookInClusterTest, RestrictedServerExitsWhenRenewalFails) {
  options_.restricted_namespace = "default";
  options_.namespace_scope_lease_duration = 1s;
  options_.namespace_scope_lease_renew_interval = 500ms;
  ASSERT_TRUE(start_until_ready());
  on_loop([this] { cluster_.set_reachable(false); });
  EXPECT_EQ(webhook_->wait(), 1);
}

TEST_F(WebhookInClusterTest, RestrictedServerIsUnreadyUntilLeaseIsHeld) {
  options_.restricted_namespace = "default";
  renew_often();
  cluster_.set_reachable(false);
  start();
  ASSERT_TRUE(comes_true([this] {
    return readiness().body.find(
               "[-]cluster failed: the marker lease is not held yet: get leases") !=
           std::string::npos;
  })) << readiness().body;
  EXPECT_THAT(scrape(), HasSubstr("\ndynamo_webhook_marker_lease_held 0\n"));
  on_loop([this] { cluster_.set_reachable(true); });
  EXPECT_TRUE(becomes_ready());
}

// --- Cluster connection settings

class ClusterConnectTest : public ::testing::Test {
 protected:
  kube::Result<process::TransportFactory> connect() {
    return process::cluster_connect(cluster_settings(options_), environment_, clock_, logger_);
  }

  Options options_ = default_options();
  process::ClusterEnvironment environment_{
      .service_host = "", .service_port = "", .service_account_directory = "/nonexistent"};
  const runtime::SystemClock clock_;
  test::RecordingLogger logger_;
};

TEST_F(ClusterConnectTest, NoConnectionOutsideClusterIsLoggedOnce) {
  const auto connected = connect();
  ASSERT_TRUE(connected);
  EXPECT_FALSE(*connected);
  ASSERT_EQ(logger_.lines().size(), 1U);
  EXPECT_EQ(logger_.lines().front().message, "no connection to a cluster");
}

TEST_F(ClusterConnectTest, NoConnectionInClusterWhenDisabled) {
  environment_.service_host = "10.96.0.1";
  environment_.service_port = "443";
  options_.cluster_connection = ConnectMode::kNone;
  const auto connected = connect();
  ASSERT_TRUE(connected);
  EXPECT_FALSE(*connected);
}

TEST_F(ClusterConnectTest, UnusableFileIsRefusedByName) {
  environment_.service_host = "10.96.0.1";
  environment_.service_port = "443";
  const auto in_pod = connect();
  ASSERT_FALSE(in_pod);
  EXPECT_THAT(in_pod.error().text, HasSubstr("/nonexistent/"));

  options_.kubeconfig = "/nonexistent/kubeconfig";
  const auto by_file = connect();
  ASSERT_FALSE(by_file);
  EXPECT_THAT(by_file.error().text, HasSubstr("/nonexistent/kubeconfig"));
  EXPECT_TRUE(logger_.lines().empty());
}

TEST_F(ClusterConnectTest, KubeconfigTakesPrecedenceOverServiceAccount) {
  environment_.service_host = "10.96.0.1";
  environment_.service_port = "443";
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("kubeconfig-" + std::to_string(::getpid()));
  std::ofstream(file)
      << "{apiVersion: v1, kind: Config, current-context: here, clusters: [{name: c, "
         "cluster: {server: 'http://127.0.0.1:1'}}], users: [{name: u, user: "
         "{token: secret-token}}], contexts: [{name: here, context: {cluster: c, user: u}}]}";
  options_.kubeconfig = file.string();
  const auto connected = connect();
  std::filesystem::remove(file);
  ASSERT_TRUE(connected) << connected.error().text;
  ASSERT_TRUE(*connected);
  ASSERT_EQ(logger_.lines().size(), 1U);
  const test::RecordedLine line = logger_.lines().front();
  EXPECT_TRUE(line.mentions("http://127.0.0.1:1")) << line.fields;
  EXPECT_TRUE(line.mentions("\"context\":\"here\"")) << line.fields;
  EXPECT_FALSE(line.mentions("secret-token"));
  boost::asio::io_context loop;
  EXPECT_NE((*connected)(loop), nullptr);
}

}  // namespace
}  // namespace dynamo::webhook
