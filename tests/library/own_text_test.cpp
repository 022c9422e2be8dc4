// Texts that a decision returned are valid arguments for its next call.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <dynamo/admission.hpp>
#include <string>
#include <string_view>

#include "tests/library/c_abi_fixture.hpp"

namespace dynamo::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// An allowed graph of the given length.
std::string graph_of(std::size_t bytes) {
  return R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",)"
         R"("metadata":{"name":"llama","namespace":"team-a"},)"
         R"("spec":{"backendFramework":"vllm","services":{"Frontend":{)"
         R"("componentType":"frontend","replicas":1,"extraPodSpec":{"mainContainer":{)"
         R"("image":"nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1","env":[{"name":"NOTE","value":")" +
         std::string(bytes, 'n') + R"("}]}}}}}})";
}

using OwnText = CAbi;

// Short texts, whose memory a decision keeps, and long ones, whose memory it frees.
TEST_F(OwnText, CanBeTheNextObject) {
  for (const std::size_t bytes : {std::size_t{10}, std::size_t{3} << 20U}) {
    const std::string object = graph_of(bytes);
    dynamo_admission_request request = request_of("CREATE", object);
    request.with_schema = 1;
    ASSERT_EQ(evaluate(request), DYNAMO_ADMISSION_OK) << error();
    const std::string stored = copy(dynamo_admission_decision_stored(decision_.get()));
    ASSERT_GT(stored.size(), bytes);
    for (int times = 0; times < 3; ++times) {
      request.object = dynamo_admission_decision_stored(decision_.get());
      ASSERT_EQ(evaluate(request), DYNAMO_ADMISSION_OK) << error();
      EXPECT_TRUE(allowed());
      EXPECT_TRUE(copy(dynamo_admission_decision_stored(decision_.get())) == stored);
    }
    request.operation = text("UPDATE");
    request.object = request.old_object = dynamo_admission_decision_stored(decision_.get());
    ASSERT_EQ(evaluate(request), DYNAMO_ADMISSION_OK) << error();
    EXPECT_TRUE(allowed());
  }
}

TEST_F(OwnText, CanBeEveryNameOfTheNextRequest) {
  ASSERT_EQ(evaluate("CREATE", kNegative), DYNAMO_ADMISSION_OK) << error();
  const std::string object = R"({"apiVersion":"nvidia.com/v1alpha1",)"
                             R"("kind":"DynamoGraphDeployment","spec":{"services":{}}})";
  dynamo_admission_request request = request_of("CREATE", object);
  request.name = dynamo_admission_decision_cause(decision_.get(), 0, DYNAMO_ADMISSION_RULE);
  const std::string name = copy(request.name);
  request.user = dynamo_admission_decision_message(decision_.get());
  request.namespace_name = dynamo_admission_decision_exemption(decision_.get());
  ASSERT_EQ(evaluate(request), DYNAMO_ADMISSION_OK) << error();
  EXPECT_THAT(copy(dynamo_admission_decision_message(decision_.get())),
              StartsWith("DynamoGraphDeployment.nvidia.com \"" + name + "\" is invalid: "));
}

TEST_F(OwnText, CanBeTheErrorOfAFailedCall) {
  ASSERT_EQ(evaluate("CREATE", "{}"), DYNAMO_ADMISSION_UNKNOWN_KIND);
  const std::string reason = error();
  dynamo_admission_request request = request_of("CREATE", kGood);
  request.operation = dynamo_admission_decision_error(decision_.get());
  ASSERT_EQ(evaluate(request), DYNAMO_ADMISSION_INVALID_ARGUMENT);
  EXPECT_THAT(error(), HasSubstr("found \"" + reason.substr(0, 20)));
  expect_no_results();
}

TEST_F(OwnText, CanBeTheNextReview) {
  const auto review = [&](dynamo_admission_text body) {
    return dynamo_admission_review(evaluator_.get(), text(kValidate), body, nullptr,
                                   decision_.get());
  };
  const std::string good = review_of(kGood);
  ASSERT_EQ(review(text(good)), DYNAMO_ADMISSION_OK) << error();
  const std::string answer = copy(dynamo_admission_decision_answer(decision_.get()));
  // A response is a review without a request.
  EXPECT_EQ(review(text(answer)), DYNAMO_ADMISSION_BAD_REVIEW);
  const std::string reason = error();
  ASSERT_EQ(review(text(good)), DYNAMO_ADMISSION_OK) << error();
  EXPECT_EQ(review(dynamo_admission_decision_answer(decision_.get())), DYNAMO_ADMISSION_BAD_REVIEW);
  EXPECT_EQ(error(), reason);
  EXPECT_EQ(copy(dynamo_admission_decision_answer(decision_.get())), reason + "\n");
}

TEST(OwnTextInCpp, CanBeTheNextObject) {
  namespace library = dynamo::admission;
  const std::string object = graph_of(std::size_t{3} << 20U);
  const library::Evaluator evaluator;
  library::Decision decision;
  library::Request request;
  request.object = object;
  request.with_schema = true;
  evaluator.evaluate(request, {}, decision);
  ASSERT_EQ(decision.status(), library::Status::kOk) << decision.error();
  const std::string stored{decision.stored()};
  request.object = decision.stored();
  evaluator.evaluate(request, {}, decision);
  ASSERT_EQ(decision.status(), library::Status::kOk) << decision.error();
  EXPECT_TRUE(decision.stored() == stored);
}

}  // namespace
}  // namespace dynamo::test
