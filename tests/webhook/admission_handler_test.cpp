// Answer, metrics and log of one review.
#include "webhook/admission_handler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "runtime/metrics.hpp"
#include "tests/support/api_server.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/objects.hpp"
#include "tests/support/recording_logger.hpp"

namespace dynamo::webhook {
namespace {

using test::review_text;
using test::ReviewParts;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kPath = "/validate-nvidia-com-v1alpha1-dynamographdeployment";
constexpr std::string_view kMutatingPath = "/mutate-nvidia-com-v1alpha1-dynamographdeployment";

// Returns what a test sets, and can throw like a defect.
class FakeLeases final : public admission::NamespaceLeases {
 public:
  std::optional<admission::NamespaceLease> find(std::string_view namespace_name) const override {
    if (is_broken) throw std::runtime_error("index out of range");
    if (namespace_name != leased) return std::nullopt;
    return lease;
  }
  bool is_broken = false;
  std::string leased;
  admission::NamespaceLease lease;
};

// The published object does not change, but its answers do.
class ForwardedLeases final : public admission::NamespaceLeases {
 public:
  explicit ForwardedLeases(const admission::NamespaceLeases& to) : to_(to) {}
  std::optional<admission::NamespaceLease> find(std::string_view namespace_name) const override {
    return to_.find(namespace_name);
  }

 private:
  const admission::NamespaceLeases& to_;
};

class AdmissionHandlerTest : public ::testing::Test {
 protected:
  server::HttpAnswer ask(std::string_view review, std::string_view path = kPath) {
    test::PaddedText text{review};
    server::HttpAnswer answer;
    AdmissionHandler handler({settings_, facts_, published_leases_, metrics_, logger_, clock_},
                             options_);
    handler.handle({.path = path,
                    .query = "",
                    .body = std::span<char>(text.bytes.data(), text.size),
                    .deadline = std::chrono::steady_clock::time_point::max()},
                   answer);
    return answer;
  }

  server::HttpAnswer ask_about(std::string_view spec, std::string_view path = kPath) {
    const json::Document object =
        test::from_yaml(test::object_text(api::Kind::kGraphDeployment, spec));
    return ask(review_text({.object = object.root()}), path);
  }

  std::string scraped() const { return registry_.serialise(); }

  api::Settings settings_{.operator_version = "1.0.0",
                          .operator_service_account = std::nullopt,
                          .restricted_namespace = ""};
  runtime::RcuCell<api::ClusterFacts> facts_;
  FakeLeases leases_;
  const runtime::RcuCell<admission::NamespaceLeases> published_leases_{
      std::make_unique<const ForwardedLeases>(leases_)};
  runtime::MetricsRegistry registry_;
  WebhookMetrics metrics_{registry_, metric_rule_ids()};
  test::RecordingLogger logger_;
  test::FakeClock clock_;
  AdmissionOptions options_;
};

constexpr std::string_view kGood = "{services: {Frontend: {" DYNAMO_GOOD_SERVICE "}}}";
constexpr std::string_view kBad = "{services: {Frontend: {" DYNAMO_UNSCALED_SERVICE
                                  ", replicas: -41, autoscaling: {enabled: true}, envs: "
                                  "[{name: HF_TOKEN, value: hf_secret}]}}}";

TEST_F(AdmissionHandlerTest, DenialIsLoggedWithIdsWithoutValues) {
  EXPECT_EQ(ask_about(kBad).status, 200U);
  ASSERT_EQ(logger_.lines().size(), 1U);
  const test::RecordedLine line = logger_.lines().front();
  EXPECT_EQ(line.level, runtime::Level::kInfo);
  EXPECT_EQ(line.message, "denied");
  EXPECT_EQ(line.fields,
            R"({"uid":"6f2c3b1e-0d5a-4c7e-9b1f-2a3c4d5e6f70","user":"jane@example.com",)"
            R"("operation":"CREATE","kind":"DynamoGraphDeployment","namespace":"default",)"
            R"("name":"example","dry_run":false,"webhook":"validate",)"
            R"("rules":["service.replicas.non-negative"]})");
}

TEST_F(AdmissionHandlerTest, AllowedRequestIsLoggedOnlyWhenConfigured) {
  ask_about(kGood);
  EXPECT_TRUE(logger_.lines().empty());
  options_.log_allowed = true;
  ask_about(kGood);
  ASSERT_EQ(logger_.lines().size(), 1U);
  EXPECT_EQ(logger_.lines().front().message, "allowed");
}

TEST_F(AdmissionHandlerTest, VerdictsUseMetricNamesOfReferenceOperator) {
  ask_about(kGood);
  ask_about(kBad);
  EXPECT_THAT(scraped(), HasSubstr("dynamo_operator_webhook_requests_total{resource_type="
                                   "\"DynamoGraphDeployment\",operation=\"CREATE\",result="
                                   "\"allowed\",version=\"v1alpha1\"} 1\n"));
  EXPECT_THAT(scraped(), HasSubstr("operation=\"CREATE\",result=\"denied\",version="
                                   "\"v1alpha1\"} 1\n"));
  EXPECT_THAT(scraped(), HasSubstr("dynamo_operator_webhook_denials_total{resource_type="
                                   "\"DynamoGraphDeployment\",operation=\"CREATE\",reason="
                                   "\"validation\",version=\"v1alpha1\"} 1\n"));
  EXPECT_THAT(scraped(), HasSubstr("dynamo_operator_webhook_duration_seconds_count{resource_type="
                                   "\"DynamoGraphDeployment\",operation=\"CREATE\"} 2\n"));
}

TEST_F(AdmissionHandlerTest, BrokenRulesAreCountedBySeverity) {
  ask_about(kBad);
  EXPECT_THAT(scraped(), HasSubstr("dynamo_webhook_rule_causes_total{rule=\"service.replicas.non-"
                                   "negative\",severity=\"deny\"} 1\n"));
  EXPECT_THAT(scraped(), HasSubstr("dynamo_webhook_rule_causes_total{rule=\"service.autoscaling."
                                   "deprecated\",severity=\"warn\"} 1\n"));
}

TEST_F(AdmissionHandlerTest, DefaultingIsNotCountedAsValidation) {
  const server::HttpAnswer answer = ask_about(kBad, kMutatingPath);
  EXPECT_THAT(answer.body, HasSubstr("\"patchType\":\"JSONPatch\""));
  EXPECT_THAT(scraped(), HasSubstr("dynamo_webhook_defaulting_requests_total{resource_type="
                                   "\"DynamoGraphDeployment\",operation=\"CREATE\",result="
                                   "\"patched\",version=\"v1alpha1\"} 1\n"));
  EXPECT_THAT(scraped(), Not(HasSubstr("dynamo_operator_webhook_requests_total{resource_type="
                                       "\"DynamoGraphDeployment\",operation=\"CREATE\"")));
}

TEST_F(AdmissionHandlerTest, LeasedNamespaceIsAllowedCountedAndAnnotated) {
  leases_.leased = "default";
  leases_.lease = {clock_.wall(), std::chrono::seconds(30), "operator-of-default"};
  const server::HttpAnswer answer = ask_about(kBad);
  EXPECT_THAT(answer.body, HasSubstr("\"allowed\":true"));
  EXPECT_THAT(answer.body, HasSubstr("\"namespace-lease-holder\":\"operator-of-default\""));
  EXPECT_THAT(scraped(), HasSubstr("dynamo_webhook_exempted_requests_total{resource_type="
                                   "\"DynamoGraphDeployment\",reason=\"namespace_lease\"} 1\n"));
  EXPECT_THAT(ask_about(kBad, kMutatingPath).body,
              AllOf(HasSubstr("\"namespace-lease-holder\""), Not(HasSubstr("\"patch\""))));
  clock_.tick(std::chrono::seconds(30));  // not renewed: its owner has stopped
  EXPECT_THAT(ask_about(kBad).body, HasSubstr("\"allowed\":false"));
}

TEST_F(AdmissionHandlerTest, AuditModeAllowsWarnsAndCounts) {
  options_.enforcement = admission::Enforcement::kAudit;
  const server::HttpAnswer answer = ask_about(kBad);
  EXPECT_THAT(answer.body, HasSubstr("\"allowed\":true"));
  EXPECT_THAT(answer.body, HasSubstr("would be denied: spec.services[Frontend].replicas"));
  EXPECT_THAT(scraped(), HasSubstr("dynamo_webhook_audit_would_deny_total{resource_type="
                                   "\"DynamoGraphDeployment\"} 1\n"));
  EXPECT_THAT(scraped(), Not(HasSubstr("result=\"denied\",version=")));
  ASSERT_EQ(logger_.count("would be denied"), 1U);
}

TEST_F(AdmissionHandlerTest, UnreadableRequestGets400AndIsCounted) {
  const server::HttpAnswer answer = ask("{\"apiVersion\":");
  EXPECT_EQ(answer.status, 400U);
  EXPECT_EQ(answer.content_type, "text/plain; charset=utf-8");
  EXPECT_EQ(answer.body,
            "AdmissionReview: byte 14: the text ends before the JSON value is complete\n");
  EXPECT_THAT(scraped(),
              HasSubstr("dynamo_webhook_parse_failures_total{reason=\"truncated\"} 1\n"));
  EXPECT_EQ(ask("{}").body, "apiVersion: must be \"admission.k8s.io/v1\"; found nothing\n");
  EXPECT_THAT(scraped(), HasSubstr("dynamo_webhook_parse_failures_total{reason=\"review\"} 1\n"));
}

TEST_F(AdmissionHandlerTest, DefectIsLoggedWithUidAndRethrown) {
  leases_.is_broken = true;
  EXPECT_THROW(ask_about(kGood), std::runtime_error);
  ASSERT_EQ(logger_.count("defect in a rule"), 1U);
  EXPECT_TRUE(logger_.lines().front().mentions("6f2c3b1e-0d5a-4c7e-9b1f-2a3c4d5e6f70"));
  leases_.is_broken = false;
  EXPECT_THAT(ask_about(kGood).body, HasSubstr("\"allowed\":true"));
}

TEST_F(AdmissionHandlerTest, PathsMatchWebhookConfigurations) {
  const AdmissionHandler handler({settings_, facts_, published_leases_, metrics_, logger_, clock_},
                                 options_);
  for (const std::string_view kind : {"dynamographdeployment", "dynamocomponentdeployment",
                                      "dynamomodel", "dynamographdeploymentrequest",
                                      "dynamocheckpoint", "dynamographdeploymentscalingadapter"}) {
    EXPECT_TRUE(handler.knows("/validate-nvidia-com-v1alpha1-" + std::string(kind)));
  }
  EXPECT_TRUE(handler.knows("/mutate-nvidia-com-v1alpha1-dynamographdeployment"));
  EXPECT_FALSE(handler.knows("/mutate-nvidia-com-v1alpha1-dynamomodel"));
  EXPECT_FALSE(handler.knows("/validate-nvidia-com-v1alpha1-dynamographdeployment/"));
  EXPECT_FALSE(handler.knows("/validate-nvidia-com-v1alpha1-dynamoworkermetadata"));
  EXPECT_FALSE(handler.knows("/"));
}

}  // namespace
}  // namespace dynamo::webhook
