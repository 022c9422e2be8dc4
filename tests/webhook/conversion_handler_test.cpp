// Answer, metrics and log of one ConversionReview.
#include "webhook/conversion_handler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/metrics.hpp"
#include "tests/support/conversion_review.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/objects.hpp"
#include "tests/support/recording_logger.hpp"
#include "webhook/request_dispatcher.hpp"

namespace dynamo::webhook {
namespace {

using test::conversion_review;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string adapter(std::string_view version, std::string_view spec = "{}") {
  return R"({"apiVersion":"nvidia.com/)" + std::string(version) +
         R"(","kind":"DynamoGraphDeploymentScalingAdapter","metadata":{"name":"s","namespace":)"
         R"("team"},"spec":)" +
         std::string(spec) + "}";
}

constexpr std::array<std::string_view, 1> kConversionTestRules{"dgd.services.required"};

class ConversionHandlerTest : public ::testing::Test {
 protected:
  server::HttpAnswer ask(std::string_view review) {
    test::PaddedText text{review};
    server::HttpAnswer answer;
    handler_.handle({.path = kConversionPath,
                     .query = "",
                     .body = std::span<char>(text.bytes.data(), text.size),
                     .deadline = std::chrono::steady_clock::time_point::max()},
                    answer);
    return answer;
  }

  server::HttpAnswer convert(std::string_view version, const std::vector<std::string>& objects) {
    return ask(conversion_review(version, objects));
  }

  std::string scraped() const { return registry_.serialise(); }

  runtime::MetricsRegistry registry_;
  WebhookMetrics metrics_{registry_, kConversionTestRules};
  test::RecordingLogger logger_;
  test::FakeClock clock_;
  ConversionHandler handler_{{metrics_, logger_, clock_}, 128};
};

TEST_F(ConversionHandlerTest, SuccessIsCountedWithoutLogLine) {
  const server::HttpAnswer answer =
      convert("nvidia.com/v1beta1", {adapter("v1alpha1"), adapter("v1alpha1")});
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(answer.content_type, "application/json");
  EXPECT_THAT(scraped(),
              AllOf(HasSubstr("dynamo_webhook_conversion_requests_total{resource_type="
                              "\"DynamoGraphDeploymentScalingAdapter\",version=\"v1beta1\",status="
                              "\"success\"} 1\n"),
                    HasSubstr("dynamo_webhook_converted_objects_total{resource_type="
                              "\"DynamoGraphDeploymentScalingAdapter\",version=\"v1beta1\"} 2\n"),
                    HasSubstr("dynamo_webhook_conversion_duration_seconds_count{resource_type="
                              "\"DynamoGraphDeploymentScalingAdapter\",version=\"v1beta1\",status="
                              "\"success\"} 1\n")));
  EXPECT_TRUE(logger_.lines().empty());
}

TEST_F(ConversionHandlerTest, FailureIsCountedAndLoggedWithoutValues) {
  const server::HttpAnswer answer = convert(
      "nvidia.com/v1beta1", {adapter("v1alpha1"), adapter("v1alpha1", R"({"replicas":"hf_key"})")});
  EXPECT_EQ(answer.status, 200U);
  EXPECT_THAT(answer.body, HasSubstr("\"status\":\"Failure\""));
  EXPECT_THAT(scraped(), AllOf(HasSubstr("version=\"v1beta1\",status=\"failure\"} 1\n"),
                               Not(HasSubstr("dynamo_webhook_converted_objects_total{"))));
  ASSERT_EQ(logger_.lines().size(), 1U);
  const test::RecordedLine line = logger_.lines().front();
  EXPECT_EQ(line.level, runtime::Level::kWarning);
  EXPECT_EQ(line.message, "conversion failed");
  EXPECT_EQ(line.fields,
            R"({"uid":"6f2c3b1e-0d5a-4c7e-9b1f-2a3c4d5e6f70",)"
            R"("kind":"DynamoGraphDeploymentScalingAdapter","namespace":"team","name":"s",)"
            R"("version":"v1beta1","objects":2,"reason":"team/s: spec.replicas: must be an )"
            R"(integer, not of type string"})");
}

TEST_F(ConversionHandlerTest, OtherVersionsAndKindsAreCounted) {
  convert("nvidia.com/v2", {adapter("v1alpha1")});
  EXPECT_THAT(scraped(), HasSubstr("version=\"other\",status=\"failure\"} 1\n"));
  convert("nvidia.com/v1beta1", {R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoModel"})"});
  convert("nvidia.com/v1beta1", {});
  EXPECT_THAT(scraped(), HasSubstr("dynamo_webhook_parse_failures_total{reason=\"review\"} 2\n"));
}

TEST_F(ConversionHandlerTest, UnreadableReviewGets400AndIsCounted) {
  const server::HttpAnswer answer = ask("{\"apiVersion\":");
  EXPECT_EQ(answer.status, 400U);
  EXPECT_EQ(answer.content_type, "text/plain; charset=utf-8");
  EXPECT_EQ(answer.body,
            "ConversionReview: byte 14: the text ends before the JSON value is complete\n");
  EXPECT_EQ(ask("{}").body, "apiVersion: must be \"apiextensions.k8s.io/v1\"; found nothing\n");
  EXPECT_THAT(scraped(),
              AllOf(HasSubstr("dynamo_webhook_parse_failures_total{reason=\"truncated\"} 1\n"),
                    HasSubstr("dynamo_webhook_parse_failures_total{reason=\"review\"} 1\n"),
                    Not(HasSubstr("dynamo_webhook_conversion_requests_total{"))));
  EXPECT_TRUE(logger_.lines().empty());
}

// Knows one path, and answers with it.
class OnePathHandler final : public server::RequestHandler {
 public:
  explicit OnePathHandler(std::string path) : path_(std::move(path)) {}
  bool knows(std::string_view path) const override { return path == path_; }
  void handle(const server::HttpRequest&, server::HttpAnswer& answer) override {
    answer.body = path_;
  }

 private:
  std::string path_;
};

TEST(RequestDispatcher, HandlerOfPathAnswers) {
  std::vector<std::unique_ptr<server::RequestHandler>> handlers;
  handlers.push_back(std::make_unique<OnePathHandler>("/a"));
  handlers.push_back(std::make_unique<OnePathHandler>("/b"));
  RequestDispatcher dispatcher(std::move(handlers));
  EXPECT_TRUE(dispatcher.knows("/a"));
  EXPECT_FALSE(dispatcher.knows("/c"));
  server::HttpAnswer answer;
  dispatcher.handle({.path = "/b", .query = "", .body = {}, .deadline = {}}, answer);
  EXPECT_EQ(answer.body, "/b");
}

TEST(HttpAnswer, LargeBufferIsFreedByClear) {
  server::HttpAnswer answer;
  answer.body.assign(server::kKeptAnswerBytes + 1, 'x');
  answer.clear();
  EXPECT_LE(answer.body.capacity(), server::kKeptAnswerBytes);
  answer.body.reserve(4096);
  answer.clear();
  EXPECT_GE(answer.body.capacity(), 4096U);
}

}  // namespace
}  // namespace dynamo::webhook
