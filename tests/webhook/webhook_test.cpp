// The webhook built from its options, called over real TLS on loopback.
#include "webhook/webhook.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "certs/issue.hpp"
#include "tests/support/api_server.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/objects.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/tls_client.hpp"
#include "tests/webhook/program_fixture.hpp"

namespace dynamo::webhook {
namespace {

using test::ClientAnswer;
using test::TcpClient;
using test::TlsClient;
using ::testing::HasSubstr;

constexpr std::string_view kPath = "/validate-nvidia-com-v1alpha1-dynamographdeployment";

void write_file(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string review(std::string_view spec) {
  const json::Document object =
      test::from_yaml(test::object_text(api::Kind::kGraphDeployment, spec));
  return test::review_text({.object = object.root()});
}

std::string post(std::string_view body) {
  return "POST " + std::string(kPath) +
         "?timeout=10s HTTP/1.1\r\nHost: dynamo-webhook.dynamo.svc\r\n"
         "Content-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

class WebhookTest : public ProgramTest {
 protected:
  WebhookTest() {
    options_.cert_mode = CertMode::kSelfSigned;
    options_.cert_dir = directory_.path();
    options_.threads = 2;
    options_.operator_version = "1.4.2";
  }
  ~WebhookTest() override { webhook_.reset(); }

  void start() {
    webhook_.emplace(options_,
                     WebhookDependencies{.log = log_, .clock = clock_, .connect = connect_});
    const auto started = webhook_->start();
    ASSERT_TRUE(started) << started.error().text;
  }

  bool start_until_ready() {
    start();
    return comes_true([this] { return probe("/readyz").status == 200; });
  }

  test::TlsClientOptions client_options() const {
    test::TlsClientOptions client;
    client.port = webhook_->port();
    client.ca_pem = test::read_file(directory_.path() / "ca.crt");
    return client;
  }

  ClientAnswer probe(std::string_view target) const { return get(webhook_->probe_port(), target); }
  std::string scrape() const { return get(webhook_->metrics_port(), "/metrics").body; }

  // Writes a pair signed by `ca` into the directory, as `--cert-mode files` reads it.
  void write_pair(const certs::KeyPair& ca) const {
    const auto now = clock_.wall();
    const auto issued = certs::issue(ca, {.names = {"localhost"},
                                          .not_before = now - std::chrono::minutes(5),
                                          .not_after = now + std::chrono::hours(1)});
    write_file(directory_.path() / "tls.key", issued.value().pair.key_pem);
    write_file(directory_.path() / "tls.crt", issued.value().pair.certificate_pem);
    write_file(directory_.path() / "ca.crt", issued.value().ca_pem);
  }

  certs::KeyPair make_ca() const {
    const auto now = clock_.wall();
    return certs::make_ca("test CA", now - std::chrono::minutes(5), now + std::chrono::hours(2))
        .value();
  }

  const test::TemporaryDirectory directory_;
  process::TransportFactory connect_;  // empty: no cluster
  std::optional<Webhook> webhook_;
};

TEST_F(WebhookTest, ReviewIsAnsweredOverTls) {
  start();
  TlsClient client(client_options());
  const std::string good = review("{services: {Frontend: {" DYNAMO_GOOD_SERVICE "}}}");
  const ClientAnswer allowed = client.ask(post(good));
  EXPECT_EQ(allowed.status, 200U);
  EXPECT_TRUE(test::accept_answer(good, allowed.body, test::Webhook::kValidating).allowed);
  const std::string bad = review("{services: {}}");
  const ClientAnswer denied = client.ask(post(bad));
  EXPECT_EQ(test::accept_answer(bad, denied.body, test::Webhook::kValidating).complaint, "");
  EXPECT_EQ(test::kubectl_text(denied.body),
            "The DynamoGraphDeployment \"example\" is invalid: spec.services: "
            "Required value: must name at least one service [dgd.services.required]\n");
}

TEST_F(WebhookTest, InvalidReviewGets400WithLocation) {
  ASSERT_TRUE(start_until_ready());
  const std::string good = review("{services: {A: {" DYNAMO_GOOD_SERVICE "}}}");
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  const struct {
    std::string body;
    std::string_view says;
  } rows[] = {
      {"", "AdmissionReview: byte 0: the text is empty"},
      {good.substr(0, good.size() - 1), "the text ends before the JSON value is complete"},
      {with("example", "ex\xFFmple"), "the text is not UTF-8"},
      {with("{\"image\":\"a\"}", "NaN"), "expected a JSON value"},
      {with("{\"image\":\"a\"}", std::string(200, '[') + std::string(200, ']')),
       "nested deeper than 128 levels"},
      {good + "x", "more text follows the end of the JSON value"},
      {"[]", "AdmissionReview: must be a JSON object"},
      {with("6f2c3b1e-0d5a-4c7e-9b1f-2a3c4d5e6f70", ""), "request.uid: must not be empty"},
      {with("admission.k8s.io/v1", "admission.k8s.io/v1beta1"),
       "apiVersion: must be \"admission.k8s.io/v1\"; found \"admission.k8s.io/v1beta1\""},
      {with("AdmissionReview", "ConversionReview"), "kind: must be \"AdmissionReview\""},
      {with("\"kind\":\"DynamoGraphDeployment\"", "\"kind\":\"DynamoModel\""),
       "request.kind: must be"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.says);
    TlsClient client(client_options());
    const ClientAnswer answer = client.ask(post(row.body));
    EXPECT_EQ(answer.status, 400U);
    EXPECT_THAT(answer.body, HasSubstr(row.says));
    EXPECT_EQ(std::ranges::count(answer.body, '\n'), 1);
    EXPECT_EQ(client.ask(post(good)).status, 200U);  // the connection stays usable
  }
}

TEST_F(WebhookTest, IsReadyWithCertificateAndReportsChecks) {
  ASSERT_TRUE(start_until_ready());
  EXPECT_THAT(probe("/readyz?verbose").body, HasSubstr("[+]certificate ok"));
  EXPECT_EQ(probe("/healthz").status, 200U);
  EXPECT_THAT(probe("/healthz?verbose").body, HasSubstr("[+]event loops ok"));
}

TEST_F(WebhookTest, BecomesReadyWhenCertificateFilesAppear) {
  options_.cert_mode = CertMode::kFiles;
  start();
  const ClientAnswer unready = probe("/readyz");
  EXPECT_EQ(unready.status, 503U);
  EXPECT_THAT(unready.body, HasSubstr("[-]certificate failed: "));
  EXPECT_EQ(probe("/healthz").status, 200U);
  EXPECT_THAT(scrape(), HasSubstr("\ndynamo_webhook_ready 0\n"));
  write_pair(make_ca());
  ASSERT_TRUE(comes_true([&] { return probe("/readyz").status == 200; }));
  EXPECT_THAT(scrape(), HasSubstr("\ndynamo_webhook_ready 1\n"));
  TlsClient client(client_options());
  EXPECT_EQ(client.ask(post(review("{services: {A: {" DYNAMO_GOOD_SERVICE "}}}"))).status, 200U);
}

TEST_F(WebhookTest, RenewedCertificateIsUsedByNewConnections) {
  const certs::KeyPair ca = make_ca();
  options_.cert_mode = CertMode::kFiles;
  write_pair(ca);
  ASSERT_TRUE(start_until_ready());
  TlsClient old_client(client_options());
  const std::string serial = old_client.server_serial();
  write_pair(ca);
  ASSERT_TRUE(comes_true([&] { return TlsClient(client_options()).server_serial() != serial; }));
  EXPECT_EQ(old_client.ask(post(review("{services: {A: {" DYNAMO_GOOD_SERVICE "}}}"))).status,
            200U);
}

TEST_F(WebhookTest, BadNewPairIsCountedAndOldKept) {
  options_.cert_mode = CertMode::kFiles;
  write_pair(make_ca());
  ASSERT_TRUE(start_until_ready());
  const test::TlsClientOptions trusting = client_options();
  const std::string serial = TlsClient(trusting).server_serial();
  write_file(directory_.path() / "tls.crt", "no certificate");
  ASSERT_TRUE(comes_true([&] {
    return scrape().find("dynamo_webhook_certificate_reload_errors_total 1\n") != std::string::npos;
  }));
  EXPECT_EQ(TlsClient(trusting).server_serial(), serial);
  EXPECT_EQ(probe("/readyz").status, 200U);
}

TEST_F(WebhookTest, CountersAndCertificateExpiryAreExported) {
  ASSERT_TRUE(start_until_ready());
  TlsClient client(client_options());
  client.ask(post(review("{services: {}}")));
  client.ask("GET " + std::string(kPath) + " HTTP/1.1\r\nHost: x\r\n\r\n");
  const std::string metrics = scrape();
  EXPECT_THAT(metrics, HasSubstr("dynamo_webhook_certificate_not_after_seconds "));
  EXPECT_THAT(metrics, HasSubstr("dynamo_webhook_bad_requests_total{code=\"405\"} 1\n"));
  EXPECT_THAT(metrics, HasSubstr("dynamo_webhook_connections_open 1\n"));
  EXPECT_THAT(metrics, HasSubstr("rule=\"dgd.services.required\",severity=\"deny\"} 1\n"));
  EXPECT_THAT(metrics, HasSubstr("process_resident_memory_bytes "));
}

TEST_F(WebhookTest, OperatorVersionIsStampedOrUnknown) {
  options_.operator_version = "latest";  // not a semantic version
  ASSERT_TRUE(start_until_ready());
  TlsClient client(client_options());
  const std::string body = review("{services: {A: {" DYNAMO_UNSCALED_SERVICE "}}}");
  std::string request = post(body);
  request.replace(request.find("/validate-"), 10, "/mutate-");
  const test::ResponseCheck accepted =
      test::accept_answer(body, client.ask(request).body, test::Webhook::kMutating);
  EXPECT_EQ(accepted.complaint, "");
  EXPECT_THAT(accepted.patched,
              HasSubstr("\"nvidia.com/dynamo-operator-origin-version\":\"0.0.0-unknown\""));
  EXPECT_THAT(accepted.patched, HasSubstr("\"replicas\":1"));
}

TEST_F(WebhookTest, BodyOverFlagsLimitGets413) {
  options_.max_body_bytes = 64 * 1024;
  ASSERT_TRUE(start_until_ready());
  TlsClient client(client_options());
  EXPECT_EQ(client.ask(post(std::string(64 * 1024 + 1, ' '))).status, 413U);
}

TEST_F(WebhookTest, ClientWithoutCertificateIsRefusedWithClientCa) {
  options_.client_ca_file = (directory_.path() / "clients.crt").string();
  write_file(options_.client_ca_file, make_ca().certificate_pem);
  ASSERT_TRUE(start_until_ready());
  EXPECT_THROW(
      {
        TlsClient client(client_options());
        client.ask(post(review("{services: {A: {" DYNAMO_GOOD_SERVICE "}}}")));
      },
      test::ClientError);
}

TEST_F(WebhookTest, PortIsClosedAfterStop) {
  ASSERT_TRUE(start_until_ready());
  TlsClient client(client_options());
  client.ask(post(review("{services: {A: {" DYNAMO_GOOD_SERVICE "}}}")));
  const std::uint16_t port = webhook_->port();
  webhook_->stop();
  EXPECT_THROW(TcpClient{port}, test::ClientError);
  EXPECT_EQ(probe("/readyz").status, 503U);
}

TEST_F(WebhookTest, PolicyFileIsReloadedAndBadOneIgnored) {
  options_.policy = (directory_.path() / "policy.yaml").string();
  const auto write_policy = [&](std::string_view text) {
    write_file(directory_.path() / "policy.new", text);
    std::filesystem::rename(directory_.path() / "policy.new", options_.policy);
  };
  write_policy("version: 1\n");
  ASSERT_TRUE(start_until_ready());
  TlsClient client(client_options());
  const std::string bad = review("{services: {}}");
  const auto allowed = [&] {
    return test::accept_answer(bad, client.ask(post(bad)).body, test::Webhook::kValidating).allowed;
  };
  EXPECT_FALSE(allowed());
  write_policy("{version: 1, severities: [{rules: dgd.*, severity: warn}]}");
  EXPECT_TRUE(comes_true(allowed));
  write_policy("{version: 1, severities: [{rules: no.such.rule, severity: warn}]}");
  ASSERT_TRUE(comes_true([&] {
    return scrape().find("dynamo_webhook_policy_reload_errors_total 1\n") != std::string::npos;
  }));
  EXPECT_TRUE(allowed());
  std::filesystem::remove(options_.policy);
  ASSERT_TRUE(comes_true([&] {
    return scrape().find("dynamo_webhook_policy_reload_errors_total 2\n") != std::string::npos;
  }));
  EXPECT_TRUE(allowed());
  write_policy("version: 1\n");
  EXPECT_TRUE(comes_true([&] { return !allowed(); }));
}

TEST_F(WebhookTest, PolicyParametersAffectVerdict) {
  options_.policy = (directory_.path() / "policy.yaml").string();
  write_file(options_.policy,
             "{version: 1, parameters: [{maxReplicasPerService: 8, allowedRegistries: nvcr.io, "
             "namespaces: default}]}");
  ASSERT_TRUE(start_until_ready());
  TlsClient client(client_options());
  const auto answer_to = [&](std::string_view fields) {
    const std::string text =
        review("{services: {A: {componentType: frontend, " + std::string(fields) + "}}}");
    const std::string body = client.ask(post(text)).body;
    const test::ResponseCheck accepted =
        test::accept_answer(text, body, test::Webhook::kValidating);
    EXPECT_EQ(accepted.complaint, "");
    return accepted.allowed ? "allowed" : body;
  };
  EXPECT_EQ(answer_to("replicas: 8, extraPodSpec: {mainContainer: {image: nvcr.io/nvidia/a}}"),
            "allowed");
  EXPECT_THAT(
      answer_to("replicas: 9, extraPodSpec: {mainContainer: {image: nvcr.io.example.com/a}}"),
      ::testing::AllOf(HasSubstr("must be at most 8"), HasSubstr("must come from nvcr.io, ")));
}

TEST_F(WebhookTest, ExemptedFindingsAreCounted) {
  options_.policy = (directory_.path() / "policy.yaml").string();
  write_file(
      options_.policy,
      "{version: 1, exemptions: [{rules: dgd.*, holder: a, reason: b, expires: 9999-01-01}]}");
  ASSERT_TRUE(start_until_ready());
  TlsClient client(client_options());
  const std::string bad = review("{services: {}}");
  const test::ResponseCheck answer =
      test::accept_answer(bad, client.ask(post(bad)).body, test::Webhook::kValidating);
  EXPECT_TRUE(answer.allowed);
  EXPECT_EQ(answer.audit_key, "exempted-by");
  EXPECT_THAT(scrape(), HasSubstr("dynamo_webhook_policy_exempted_requests_total{resource_type="
                                  "\"DynamoGraphDeployment\",result=\"allowed\"} 1\n"));
}

TEST_F(WebhookTest, IgnoredFindingsAreCounted) {
  options_.policy = (directory_.path() / "policy.yaml").string();
  write_file(options_.policy, "{version: 1, honourIgnores: true}");
  ASSERT_TRUE(start_until_ready());
  TlsClient client(client_options());
  const json::Document object = test::from_yaml(
      "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, metadata: {name: a, "
      "annotations: {dynamo-admission.nvidia.com/ignore: pod.vocabulary, "
      "dynamo-admission.nvidia.com/ignore-reason: a test}}, spec: {services: {A: {componentType: "
      "frontend, replicas: 1, extraPodSpec: {dnsPolicy: Foo, mainContainer: {image: 'a:1'}}}}}}");
  const std::string text = test::review_text({.object = object.root()});
  const std::string body = client.ask(post(text)).body;
  EXPECT_TRUE(test::accept_answer(text, body, test::Webhook::kValidating).allowed) << body;
  EXPECT_THAT(scrape(), HasSubstr("dynamo_webhook_ignored_findings_total{resource_type="
                                  "\"DynamoGraphDeployment\",severity=\"deny\"} 1\n"));
}

TEST_F(WebhookTest, BadPolicyIsReportedWithFlagAndLine) {
  options_.policy = (directory_.path() / "policy.yaml").string();
  EXPECT_THAT(unusable_options(options_).value_or(""),
              ::testing::AllOf(HasSubstr("--policy: "), HasSubstr("policy.yaml: is missing")));
  write_file(options_.policy, "version: 1\nseverities:\n  - severity: maybe\n");
  EXPECT_THAT(unusable_options(options_).value_or(""),
              ::testing::AllOf(HasSubstr("policy.yaml: line 3, column 15: severity must be"),
                               HasSubstr("policy.yaml: line 3, column 5: rules is missing")));
  write_file(options_.policy,
             "version: 1\nseverities:\n  - {rules: [dgd.services.limit], severity: warn}\n");
  EXPECT_THAT(
      unusable_options(options_).value_or(""),
      HasSubstr("policy.yaml: line 3, column 14: \"dgd.services.limit\" cannot be softened"));
  write_file(options_.policy, "version: 1\n");
  EXPECT_EQ(unusable_options(options_), std::nullopt);
}

TEST_F(WebhookTest, EnforcementIsExportedAsMetric) {
  options_.enforcement = admission::Enforcement::kAudit;
  start();
  EXPECT_THAT(scrape(),
              ::testing::AllOf(HasSubstr("\ndynamo_webhook_enforcement{mode=\"audit\"} 1\n"),
                               HasSubstr("\ndynamo_webhook_enforcement{mode=\"deny\"} 0\n")));
}

TEST_F(WebhookTest, UnknownCipherIsReportedByFlag) {
  EXPECT_EQ(unusable_options(options_), std::nullopt);
  options_.tls_ciphers = {"NOT-A-CIPHER"};
  EXPECT_THAT(unusable_options(options_).value_or(""),
              ::testing::AllOf(HasSubstr("--tls-ciphers"), HasSubstr("NOT-A-CIPHER")));
}

}  // namespace
}  // namespace dynamo::webhook
