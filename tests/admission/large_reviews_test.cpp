// Expensive reviews, from bytes to bytes: the time stays linear and the answer small.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/support/processor_time.hpp"
#include "tests/support/review_fixture.hpp"

namespace dynamo::admission {
namespace {

constexpr int kMany = 100'000;
// Processor time in a debug build; anything quadratic takes minutes.
constexpr double kLongestSeconds = 1.0;
constexpr std::size_t kLongestAnswer = std::size_t{64} << 10U;

std::string repeated(const std::function<std::string(int)>& item) {
  std::string text;
  for (int i = 0; i < kMany; ++i) {
    if (i > 0) text += ',';
    text += item(i);
  }
  return text;
}

std::string review_of(const std::string& object, const std::string& old_object = "null") {
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u",)"
         R"("kind":{"group":"nvidia.com","version":"v1alpha1","kind":"DynamoGraphDeployment"},)"
         R"("namespace":"default","operation":")" +
         std::string(old_object == "null" ? "CREATE" : "UPDATE") + R"(","object":)" + object +
         R"(,"oldObject":)" + old_object + "}}";
}

test::ReviewResponse review_in_time(const Route& route, const std::string& review) {
  test::ReviewFixture fixture;
  test::ReviewResponse reviewed;
  EXPECT_LT(
      test::processor_seconds(kLongestSeconds, [&] { reviewed = fixture.review(route, review); }),
      kLongestSeconds);
  EXPECT_EQ(reviewed.http_status, 200U) << reviewed.answer.substr(0, 200);
  return reviewed;
}

const Route& graph_route() {
  return test::validating(api::Kind::kGraphDeployment);
}

std::string services(bool reversed, const std::string& fields) {
  return repeated([&](int i) {
    return "\"s" + std::to_string(reversed ? 2 * kMany - i : kMany + 1 + i) + "\":{" + fields + "}";
  });
}

// The fields outside the services that would be defaulted are already set.
TEST(LargeReviews, TooManyServicesAreNotDefaulted) {
  const auto graph_of = [](const std::string& services) {
    return R"({"metadata":{"annotations":{")" + std::string(api::kOriginVersionAnnotation) +
           R"(":"1.0.0"}},"spec":{"services":{)" + services + "}}}";
  };
  const auto has_patch = [](const test::ReviewResponse& reviewed) {
    return reviewed.answer.find(R"("patch":)") != std::string::npos;
  };
  EXPECT_TRUE(has_patch(review_in_time(test::mutating(), review_of(graph_of(R"("one":{})")))));
  EXPECT_FALSE(
      has_patch(review_in_time(test::mutating(), review_of(graph_of(services(false, ""))))));
}

TEST(LargeReviews, ReorderedTerminatingObjectIsComparedInTime) {
  const auto object = [](bool reversed) {
    return R"({"metadata":{"deletionTimestamp":"x"},"spec":{"services":{)" +
           services(reversed, "") + "}}}";
  };
  const test::ReviewResponse reviewed =
      review_in_time(graph_route(), review_of(object(false), object(true)));
  EXPECT_EQ(reviewed.verdict, ReviewVerdict::kExempted);
}

TEST(LargeReviews, HundredErrorsWithLongNameGetSmallAnswer) {
  const std::string object = R"({"metadata":{},"spec":{"services":{")" +
                             std::string(1'000'000, 'n') + R"(":{"volumeMounts":[)" +
                             repeated([](int) { return std::string("{}"); }) + "]}}}}";
  EXPECT_LT(review_in_time(graph_route(), review_of(object)).answer.size(), kLongestAnswer);
}

TEST(LargeReviews, ManyBrokenServicesGetSmallAnswer) {
  const std::string object = R"({"metadata":{},"spec":{"services":{)" +
                             services(true, R"("replicas":-1,"autoscaling":{})") + "}}}";
  EXPECT_LT(review_in_time(graph_route(), review_of(object)).answer.size(), 60'000U);
}

}  // namespace
}  // namespace dynamo::admission
