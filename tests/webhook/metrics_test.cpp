#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>

#include "admission/evaluate.hpp"
#include "api/kind.hpp"
#include "json/parser.hpp"
#include "server/counters.hpp"
#include "webhook/metrics.hpp"

namespace dynamo::webhook {
namespace {

constexpr std::array<std::string_view, 2> kRules{"dgd.services.required", "dgd.pvc.name"};

struct Fixture {
  runtime::MetricsRegistry registry;
  WebhookMetrics metrics{registry, kRules};

  bool exports(const std::string& line) const {
    return registry.serialise().find("\n" + line + "\n") != std::string::npos;
  }
};

TEST(WebhookMetrics, UseNamesOfReferenceOperator) {
  Fixture fixture;
  fixture.metrics.duration.at(api::Kind::kModel, api::Operation::kUpdate)
      .observe(std::chrono::microseconds(40));
  fixture.metrics.requests
      .at(api::Kind::kGraphDeployment, api::Operation::kCreate, AdmissionOutcome::kDenied,
          std::size_t{1})
      .increment();
  fixture.metrics.denials
      .at(api::Kind::kGraphDeployment, api::Operation::kCreate, DenialReason::kValidation,
          std::size_t{1})
      .increment();
  EXPECT_TRUE(
      fixture.exports("dynamo_operator_webhook_duration_seconds_count{resource_type="
                      "\"DynamoModel\",operation=\"UPDATE\"} 1"));
  EXPECT_TRUE(
      fixture.exports("dynamo_operator_webhook_duration_seconds_bucket{resource_type="
                      "\"DynamoModel\",operation=\"UPDATE\",le=\"5e-05\"} 1"));
  EXPECT_TRUE(
      fixture.exports("dynamo_operator_webhook_requests_total{resource_type="
                      "\"DynamoGraphDeployment\",operation=\"CREATE\",result=\"denied\","
                      "version=\"v1beta1\"} 1"));
  EXPECT_TRUE(
      fixture.exports("dynamo_operator_webhook_denials_total{resource_type="
                      "\"DynamoGraphDeployment\",operation=\"CREATE\",reason=\"validation\","
                      "version=\"v1beta1\"} 1"));
}

TEST(WebhookMetrics, VersionIsThatOfTheClient) {
  const auto version = [](api::GroupVersionKind kind, api::GroupVersionKind request_kind = {}) {
    return kConvertedVersionNames.at(
        client_version_label({.kind = kind, .request_kind = request_kind}));
  };
  EXPECT_EQ(version({"nvidia.com", "v1alpha1", "K"}), "v1alpha1");
  EXPECT_EQ(version({"nvidia.com", "v1alpha1", "K"}, {"nvidia.com", "v1beta1", "K"}), "v1beta1");
  EXPECT_EQ(version({"nvidia.com", "v1", "K"}), "other");
  EXPECT_EQ(version({"nvidia.com", "other", "K"}), "other");
  EXPECT_EQ(version({"autoscaling", "v1alpha1", "Scale"}), "other");
}

TEST(WebhookMetrics, CausesNameTheirRule) {
  Fixture fixture;
  fixture.metrics.rule_causes.at(1, CauseSeverity::kWarn).increment();
  EXPECT_TRUE(fixture.exports(
      "dynamo_webhook_rule_causes_total{rule=\"dgd.pvc.name\",severity=\"warn\"} 1"));
}

TEST(WebhookMetrics, ExemptionsAndParseFailuresAreNamed) {
  Fixture fixture;
  fixture.metrics.exempted
      .at(api::Kind::kScalingAdapter, exemption_label(admission::Exemption::kNamespaceLease))
      .increment();
  fixture.metrics.audit_would_deny.at(api::Kind::kCheckpoint).increment();
  fixture.metrics.parse_failures.at(json::ParseFailure::kTooDeep).increment();
  fixture.metrics.parse_failures.at(kNotAReview).increment(2);
  EXPECT_TRUE(
      fixture.exports("dynamo_webhook_exempted_requests_total{resource_type="
                      "\"DynamoGraphDeploymentScalingAdapter\",reason=\"namespace_lease\"} 1"));
  EXPECT_TRUE(fixture.exports(
      "dynamo_webhook_audit_would_deny_total{resource_type=\"DynamoCheckpoint\"} 1"));
  EXPECT_TRUE(fixture.exports("dynamo_webhook_parse_failures_total{reason=\"too_deep\"} 1"));
  EXPECT_TRUE(fixture.exports("dynamo_webhook_parse_failures_total{reason=\"review\"} 2"));
}

TEST(WebhookMetrics, EndpointCountersAreExported) {
  Fixture fixture;
  server::ServerCounters counters;
  fixture.metrics.bind(counters);
  counters.requests_in_flight = 3;
  counters.connections_open = 5;
  counters.connections_accepted = 7;
  counters.rejected.count(server::Limit::kInFlight);
  counters.evictions.count(server::Eviction::kBodyMemory);
  counters.count_bad_request(415);
  counters.count_bad_request(418);
  counters.handshake_failures.count(server::HandshakeFailure::kVersion);
  counters.timeouts.count(server::TimeoutPhase::kWrite);
  counters.handler_defects = 1;
  counters.loops.stuck = 2;
  counters.distrusted_clients.count(server::DistrustReason::kExpired);
  counters.loops.stalls = 4;
  counters.loops.connections.count(server::StalledConnection::kMoved);
  for (const std::string line : {
           "dynamo_webhook_requests_in_flight 3",
           "dynamo_webhook_connections_open 5",
           "dynamo_webhook_connections_total 7",
           "dynamo_webhook_rejected_requests_total{limit=\"in_flight\"} 1",
           "dynamo_webhook_rejected_requests_total{limit=\"deadline\"} 0",
           "dynamo_webhook_rejected_requests_total{limit=\"memory\"} 0",
           "dynamo_webhook_evictions_total{reason=\"body_memory\"} 1",
           "dynamo_webhook_evictions_total{reason=\"idle\"} 0",
           "dynamo_webhook_bad_requests_total{code=\"415\"} 1",
           "dynamo_webhook_bad_requests_total{code=\"other\"} 1",
           "dynamo_webhook_handshake_failures_total{class=\"version\"} 1",
           "dynamo_webhook_timeouts_total{phase=\"write\"} 1",
           "dynamo_webhook_handler_defects_total 1",
           "dynamo_webhook_event_loops_stuck 2",
           "dynamo_webhook_distrusted_clients_total{reason=\"expired\"} 1",
           "dynamo_webhook_event_loop_stalls_total 4",
           "dynamo_webhook_stalled_connections_total{outcome=\"moved\"} 1",
           "dynamo_webhook_stalled_connections_total{outcome=\"closed\"} 0",
       }) {
    EXPECT_TRUE(fixture.exports(line)) << line;
  }
}

TEST(WebhookMetrics, MissingCertificateHasNoExpiry) {
  Fixture fixture;
  EXPECT_EQ(fixture.registry.serialise().find("\ndynamo_webhook_certificate_not_after_seconds"),
            std::string::npos);
  fixture.metrics.certificate_not_after.bind([](std::size_t) { return 1'770'091'506.0; });
  EXPECT_TRUE(fixture.exports("dynamo_webhook_certificate_not_after_seconds 1770091506"));
}

TEST(WebhookMetrics, IdleServerExportsSmallPage) {
  Fixture fixture;
  server::ServerCounters counters;
  fixture.metrics.bind(counters);
  EXPECT_LT(fixture.registry.serialise().size(), 16U * 1024);
}

}  // namespace
}  // namespace dynamo::webhook
