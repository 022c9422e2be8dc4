// The C boundary: its results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/library/c_abi_fixture.hpp"
#include "tests/support/review_fixture.hpp"

namespace dynamo::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST_F(CAbi, AllowsAValidObjectWithDefaults) {
  ASSERT_EQ(evaluate("CREATE", kGood), DYNAMO_ADMISSION_OK) << error();
  EXPECT_TRUE(allowed());
  EXPECT_EQ(causes(), 0U);
  EXPECT_EQ(error(), "");
  EXPECT_EQ(copy(dynamo_admission_decision_exemption(decision_.get())), "none");
  EXPECT_EQ(copy(dynamo_admission_decision_message(decision_.get())), "");
  EXPECT_EQ(copy(dynamo_admission_decision_patch(decision_.get())),
            R"([{"op":"add","path":"/metadata/annotations","value":{)"
            R"("nvidia.com/dynamo-operator-origin-version":"0.0.0-unknown"}}])");
}

TEST_F(CAbi, DeniesAnInvalidObjectWithAllCauseParts) {
  ASSERT_EQ(evaluate("CREATE", kNegative), DYNAMO_ADMISSION_OK) << error();
  EXPECT_FALSE(allowed());
  ASSERT_EQ(causes(), 1U);
  EXPECT_EQ(cause(0, DYNAMO_ADMISSION_FIELD), "spec.services[Frontend].replicas");
  EXPECT_EQ(cause(0, DYNAMO_ADMISSION_REASON), "FieldValueInvalid");
  const std::string rule = cause(0, DYNAMO_ADMISSION_RULE);
  EXPECT_THAT(rule, StartsWith("service.replicas"));
  const std::string detail = cause(0, DYNAMO_ADMISSION_DETAIL);
  EXPECT_EQ(cause(0, DYNAMO_ADMISSION_MESSAGE), "Invalid value: " + detail + " [" + rule + "]");
  EXPECT_EQ(copy(dynamo_admission_decision_message(decision_.get())),
            "DynamoGraphDeployment.nvidia.com \"llama\" is invalid: "
            "spec.services[Frontend].replicas: Invalid value: " +
                detail + " [" + rule + "]");
  EXPECT_EQ(dynamo_admission_decision_causes_omitted(decision_.get()), 0U);
}

TEST_F(CAbi, CountsCausesAboveTheLimit) {
  std::string services;
  for (int i = 0; i < 130; ++i) {
    services += (i == 0 ? "\"s" : ",\"s") + std::to_string(i) + R"(":{"replicas":-1})";
  }
  const std::string object =
      R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",)"
      R"("metadata":{"name":"llama"},"spec":{"services":{)" +
      services + "}}}";
  ASSERT_EQ(evaluate("CREATE", object), DYNAMO_ADMISSION_OK) << error();
  EXPECT_EQ(causes(), 100U);
  EXPECT_GE(dynamo_admission_decision_causes_omitted(decision_.get()), 30U);
}

TEST_F(CAbi, AnswersReviewsLikeTheServer) {
  for (const std::string_view path : {kValidate, kMutate}) {
    for (const std::string_view object : {kGood, kNegative}) {
      const std::string review = review_of(object);
      ASSERT_EQ(dynamo_admission_review(evaluator_.get(), text(path), text(review), nullptr,
                                        decision_.get()),
                DYNAMO_ADMISSION_OK)
          << error();
      ReviewFixture fixture;
      fixture.settings.operator_version = "0.0.0-unknown";
      fixture.facts = {};
      const auto expected = fixture.review(*admission::find_route(path), review);
      EXPECT_EQ(copy(dynamo_admission_decision_answer(decision_.get())), expected.answer);
      EXPECT_EQ(dynamo_admission_decision_http_status(decision_.get()), 200);
      EXPECT_EQ(allowed(), expected.verdict == admission::ReviewVerdict::kAllowed);
      EXPECT_EQ(causes() > 0, !allowed());
    }
  }
}

TEST_F(CAbi, AuditAllowsAndReportsCauses) {
  evaluator_ = make_evaluator("enforcement: audit");
  ASSERT_EQ(dynamo_admission_review(evaluator_.get(), text(kValidate), text(review_of(kNegative)),
                                    nullptr, decision_.get()),
            DYNAMO_ADMISSION_OK);
  EXPECT_TRUE(allowed());
  EXPECT_EQ(causes(), 1U);
  EXPECT_THAT(copy(dynamo_admission_decision_answer(decision_.get())),
              HasSubstr("would be denied"));
}

TEST_F(CAbi, AppliesPolicyExemptionsUntilTheyExpire) {
  evaluator_ = make_evaluator("", R"(version: 1
exemptions:
  - rules: [service.replicas*]
    holder: team-a
    reason: ticket 1
    expires: 2026-02-04
)");
  const auto request = request_of("CREATE", kNegative);
  dynamo_admission_facts facts = no_facts();
  const auto allowed_at = [&](std::int64_t now) {
    facts.now = now;
    EXPECT_EQ(dynamo_admission_evaluate(evaluator_.get(), &request, &facts, decision_.get()),
              DYNAMO_ADMISSION_OK);
    return allowed();
  };
  EXPECT_TRUE(allowed_at(1'770'091'506));  // 2026-02-03
  ASSERT_EQ(dynamo_admission_decision_warning_count(decision_.get()), 1U);
  EXPECT_THAT(copy(dynamo_admission_decision_warning(decision_.get(), 0, DYNAMO_ADMISSION_DETAIL)),
              HasSubstr("held by team-a"));
  EXPECT_FALSE(allowed_at(1'780'091'506));
  EXPECT_FALSE(allowed_at(0)) << "no client is exempt if the time is unknown";
}

TEST_F(CAbi, AppliesPolicyParameters) {
  const auto cause_under = [&](std::string_view parameters) {
    evaluator_ = make_evaluator("", "version: 1\nparameters:\n  - " + std::string(parameters));
    EXPECT_EQ(evaluate("CREATE", kGood), DYNAMO_ADMISSION_OK) << error();
    EXPECT_EQ(allowed(), causes() == 0);
    return causes() == 0 ? "" : cause(0, DYNAMO_ADMISSION_RULE);
  };
  EXPECT_EQ(cause_under("allowedRegistries: [nvcr.io/nvidia, docker.io]"), "");
  EXPECT_EQ(cause_under("allowedRegistries: [nvcr.io/other, docker.io]"), "policy.registry");
  EXPECT_EQ(cause_under("requiredResourceLimits: memory"), "policy.resource-limits");
  EXPECT_EQ(cause_under("{requiredResourceLimits: memory, namespaces: team-b}"), "");
}

TEST_F(CAbi, AppliesSettings) {
  evaluator_ = make_evaluator("restricted-namespace: team-b\noperator-version: 1.2.3\n");
  ASSERT_EQ(evaluate("CREATE", kNegative), DYNAMO_ADMISSION_OK);
  EXPECT_TRUE(allowed());
  EXPECT_EQ(copy(dynamo_admission_decision_exemption(decision_.get())), "other_namespace");
  auto request = request_of("CREATE", kGood);
  request.namespace_name = text("team-b");
  ASSERT_EQ(evaluate(request), DYNAMO_ADMISSION_OK);
  EXPECT_THAT(copy(dynamo_admission_decision_patch(decision_.get())), HasSubstr("\"1.2.3\""));
}

TEST_F(CAbi, AppliesFacts) {
  const std::string object = R"({"apiVersion":"nvidia.com/v1alpha1",
      "kind":"DynamoGraphDeployment","metadata":{"name":"llama"},"spec":{"services":{"Epp":{
      "componentType":"epp","replicas":1,"eppConfig":{"configMapRef":{"name":"c","key":"k"}}}}}})";
  const auto request = request_of("CREATE", object);
  dynamo_admission_facts facts = no_facts();
  facts.inference_pool_served = DYNAMO_ADMISSION_FACT_YES;
  ASSERT_EQ(dynamo_admission_evaluate(evaluator_.get(), &request, &facts, decision_.get()),
            DYNAMO_ADMISSION_OK);
  const std::size_t served = causes();
  facts.inference_pool_served = DYNAMO_ADMISSION_FACT_NO;
  ASSERT_EQ(dynamo_admission_evaluate(evaluator_.get(), &request, &facts, decision_.get()),
            DYNAMO_ADMISSION_OK);
  EXPECT_EQ(causes(), served + 1);
}

TEST_F(CAbi, ValidatesAnUpdateAgainstTheOldObject) {
  EXPECT_EQ(evaluate("UPDATE", kGood), DYNAMO_ADMISSION_INVALID_ARGUMENT);
  EXPECT_EQ(error(), "old object must be given for UPDATE");
  expect_no_results();
  ASSERT_EQ(evaluate("UPDATE", kGood, text(kGood)), DYNAMO_ADMISSION_OK) << error();
  EXPECT_TRUE(allowed());
  std::string other{kGood};
  other.replace(other.find("Frontend"), 8, "Gateway");
  ASSERT_EQ(evaluate("UPDATE", other, text(kGood)), DYNAMO_ADMISSION_OK) << error();
  EXPECT_FALSE(allowed());
}

// Written by a Go program, which writes an unset time as null.
constexpr std::string_view kWrittenByGo = R"({
  "apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoCheckpoint", "metadata": {"name": "a"},
  "spec": {"identity": {"model": "m", "backendFramework": "vllm"}, "job": {"podTemplateSpec": {
    "metadata": {"creationTimestamp": null}, "spec": {"containers": [{"name": "main",
    "image": "x:1", "command": ["python3", "-m", "dynamo.vllm"], "args": ["--model", "m"],
    "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}}}}})";

TEST_F(CAbi, DropsUnknownFieldsUnlessStrict) {
  auto request = request_of("CREATE", kWrittenByGo);
  request.with_schema = DYNAMO_ADMISSION_SCHEMA;
  ASSERT_EQ(evaluate(request), DYNAMO_ADMISSION_OK) << error();
  EXPECT_TRUE(allowed()) << cause(0, DYNAMO_ADMISSION_MESSAGE);
  std::vector<std::string> rules;
  for (std::size_t i = 0; i < dynamo_admission_decision_warning_count(decision_.get()); ++i) {
    rules.push_back(
        copy(dynamo_admission_decision_warning(decision_.get(), i, DYNAMO_ADMISSION_RULE)));
  }
  EXPECT_THAT(rules, Contains("schema.unknown-field"));
  EXPECT_THAT(copy(dynamo_admission_decision_stored(decision_.get())),
              Not(HasSubstr("creationTimestamp")));

  request.with_schema = DYNAMO_ADMISSION_SCHEMA_STRICT;
  ASSERT_EQ(evaluate(request), DYNAMO_ADMISSION_OK) << error();
  EXPECT_FALSE(allowed());
  ASSERT_EQ(causes(), 1U);
  EXPECT_EQ(cause(0, DYNAMO_ADMISSION_RULE), "schema.unknown-field");
}

TEST_F(CAbi, ValidatesTheSchemaFirstOnRequest) {
  std::string object{kNegative};
  object.replace(object.find("\"componentType\""), 0, R"("unheardOf": 1, "envs": "none", )");
  auto request = request_of("CREATE", object);
  ASSERT_EQ(evaluate(request), DYNAMO_ADMISSION_OK) << error();
  EXPECT_EQ(copy(dynamo_admission_decision_stored(decision_.get())), "");
  request.with_schema = 1;
  ASSERT_EQ(evaluate(request), DYNAMO_ADMISSION_OK) << error();
  EXPECT_FALSE(allowed());
  std::vector<std::string> rules;
  for (std::size_t i = 0; i < causes(); ++i) rules.push_back(cause(i, DYNAMO_ADMISSION_RULE));
  EXPECT_THAT(rules, Contains(StartsWith("schema.")));
  EXPECT_THAT(copy(dynamo_admission_decision_message(decision_.get())), HasSubstr("is invalid"));

  request.object = text(kGood);
  ASSERT_EQ(evaluate(request), DYNAMO_ADMISSION_OK) << error();
  EXPECT_TRUE(allowed());
  EXPECT_THAT(
      copy(dynamo_admission_decision_stored(decision_.get())),
      AllOf(StartsWith(R"({"apiVersion":"nvidia.com/v1alpha1")"), HasSubstr("origin-version")));
  EXPECT_EQ(copy(dynamo_admission_decision_patch(decision_.get())), "");

  request.sub_resource = text("status");
  EXPECT_EQ(evaluate(request), DYNAMO_ADMISSION_INVALID_ARGUMENT);
  expect_no_results();
}

TEST_F(CAbi, AllowsDeletionWithoutValidation) {
  dynamo_admission_request request = request_of("DELETE", {}, text(kNegative));
  request.object = kAbsent;
  ASSERT_EQ(evaluate(request), DYNAMO_ADMISSION_OK) << error();
  EXPECT_TRUE(allowed());
  EXPECT_EQ(copy(dynamo_admission_decision_exemption(decision_.get())), "operation");
  request.old_object = kAbsent;
  EXPECT_EQ(evaluate(request), DYNAMO_ADMISSION_INVALID_ARGUMENT);
  expect_no_results();
}

TEST_F(CAbi, ManyThreadsCanShareAnEvaluator) {
  evaluator_ = make_evaluator("", "version: 1\nseverities: [{rules: [dgd.*], severity: warn}]\n");
  ASSERT_EQ(evaluate("CREATE", kNegative), DYNAMO_ADMISSION_OK);
  const std::string expected = copy(dynamo_admission_decision_message(decision_.get()));
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  constexpr int kThreads = 4;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      const Decision own = make_decision();
      const auto request = request_of("CREATE", kNegative);
      for (int round = 0; round < 200; ++round) {
        dynamo_admission_evaluate(evaluator_.get(), &request, nullptr, own.get());
        const auto message = dynamo_admission_decision_message(own.get());
        if (std::string_view{message.data, message.length} != expected) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(CAbi, DecisionOutlivesItsEvaluator) {
  ASSERT_EQ(evaluate("CREATE", kNegative), DYNAMO_ADMISSION_OK);
  const std::string before = cause(0, DYNAMO_ADMISSION_RULE);
  evaluator_.reset();
  EXPECT_EQ(cause(0, DYNAMO_ADMISSION_RULE), before);
}

TEST(CAbiItself, ReportsVersionsAndStatusNames) {
  EXPECT_EQ(dynamo_admission_abi_version(), DYNAMO_ADMISSION_ABI_VERSION);
  EXPECT_THAT(dynamo_admission_version(), HasSubstr("."));
  std::vector<std::string> names;
  for (dynamo_admission_status status = DYNAMO_ADMISSION_OK; status <= DYNAMO_ADMISSION_INTERNAL;
       ++status) {
    names.emplace_back(dynamo_admission_status_name(status));
  }
  EXPECT_THAT(names, ElementsAre("ok", "invalid argument", "too large", "not JSON", "unknown kind",
                                 "bad review", "bad settings", "bad policy", "out of memory",
                                 "internal error"));
  for (const dynamo_admission_status none : {-1, 11, INT32_MAX, INT32_MIN}) {
    EXPECT_STREQ(dynamo_admission_status_name(none), "unknown status");
  }
}

TEST_F(CAbi, ConvertsThereAndBack) {
  const auto convert = [this](dynamo_admission_text object, std::string_view version) {
    return dynamo_admission_convert(object, text(version), decision_.get());
  };
  const auto converted = [this] { return dynamo_admission_decision_converted(decision_.get()); };
  ASSERT_EQ(convert(text(kGood), "nvidia.com/v1beta1"), DYNAMO_ADMISSION_OK) << error();
  EXPECT_THAT(copy(converted()), AllOf(StartsWith(R"({"apiVersion":"nvidia.com/v1beta1",)"),
                                       HasSubstr(R"("components":[{)")));
  EXPECT_FALSE(allowed());
  EXPECT_EQ(error(), "");
  // The result is a valid argument.
  ASSERT_EQ(convert(converted(), "nvidia.com/v1alpha1"), DYNAMO_ADMISSION_OK) << error();
  EXPECT_THAT(copy(converted()), HasSubstr(R"("services":{"Frontend":{)"));
  ASSERT_EQ(evaluate("CREATE", kGood), DYNAMO_ADMISSION_OK);
  EXPECT_EQ(copy(converted()), "");
}

}  // namespace
}  // namespace dynamo::test
