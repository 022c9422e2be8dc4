// The C++ header, used like in an external program: it includes nothing else of ours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <dynamo/admission.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace {

using namespace dynamo::admission;
using testing::HasSubstr;
using testing::IsEmpty;

static_assert(noexcept(evaluate(Operation::kCreate, "", "", std::nullopt, Facts{})));
static_assert(noexcept(std::declval<const Evaluator&>().evaluate(Request{}, Facts{})));
static_assert(noexcept(Evaluator{}));
static_assert(std::is_nothrow_move_constructible_v<Decision>);
static_assert(!std::is_copy_constructible_v<Decision>);

std::string graph(std::string_view replicas) {
  return R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",)"
         R"("metadata":{"name":"llama"},"spec":{"backendFramework":"vllm","services":{"Frontend":{)"
         R"("componentType":"frontend","extraPodSpec":{"mainContainer":{)"
         R"("image":"nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1"}},"replicas":)" +
         std::string(replicas) + "}}}}";
}

TEST(CppHeader, EvaluatesInOneCall) {
  const Decision decision = evaluate(Operation::kCreate, graph("-1"), {}, "jane", {});
  ASSERT_EQ(decision.status(), Status::kOk) << decision.error();
  EXPECT_FALSE(decision.allowed());
  ASSERT_EQ(decision.causes().size(), 1U);
  for (const Cause& cause : decision.causes()) {
    EXPECT_EQ(cause.field, "spec.services[Frontend].replicas");
    EXPECT_EQ(cause.reason, "FieldValueInvalid");
    EXPECT_EQ(cause.message,
              "Invalid value: " + std::string(cause.detail) + " [" + std::string(cause.rule) + "]");
  }
  EXPECT_EQ(decision.causes()[0].field, "spec.services[Frontend].replicas");
  EXPECT_THAT(std::string(decision.message()), HasSubstr("\"llama\" is invalid"));
  EXPECT_THAT(std::string(decision.patch()), HasSubstr("origin-version"));
  EXPECT_TRUE(evaluate(Operation::kCreate, graph("1"), {}, "jane", {}).allowed());
}

TEST(CppHeader, ConvertsIntoADecision) {
  Decision decision;
  decision.convert(graph("1"), "nvidia.com/v1beta1");
  ASSERT_EQ(decision.status(), Status::kOk) << decision.error();
  EXPECT_THAT(std::string(decision.converted()), HasSubstr("\"components\":[{"));
  decision.convert(decision.converted(), "nvidia.com/v1beta1");
  EXPECT_EQ(decision.status(), Status::kNotConvertible);
  EXPECT_THAT(decision.converted(), IsEmpty());
}

TEST(CppHeader, DistinguishesEmptyFromAbsentObjects) {
  EXPECT_EQ(evaluate(Operation::kCreate, {}, {}, {}, {}).status(), Status::kNotJson);
  EXPECT_EQ(evaluate(Operation::kUpdate, graph("1"), {}, {}, {}).status(),
            Status::kInvalidArgument);
  EXPECT_TRUE(evaluate(Operation::kUpdate, graph("1"), graph("2"), {}, {}).allowed());
  const Decision deletion = evaluate(Operation::kDelete, {}, graph("-1"), {}, {});
  EXPECT_TRUE(deletion.allowed());
  EXPECT_EQ(deletion.exemption(), "operation");
}

TEST(CppHeader, ReadsPolicyWarnings) {
  const Evaluator evaluator{
      std::nullopt, "version: 1\nseverities: [{rules: [service.replicas*], severity: warn}]\n"};
  ASSERT_EQ(evaluator.status(), Status::kOk) << evaluator.error();
  const std::string object = graph("-1");
  Request request;
  request.object = object;
  const Decision decision = evaluator.evaluate(request);
  EXPECT_TRUE(decision.allowed());
  ASSERT_EQ(decision.warnings().size(), 1U);
  const Warning warning = decision.warnings()[0];
  EXPECT_EQ(warning.field, "spec.services[Frontend].replicas");
  EXPECT_EQ(warning.message, std::string(warning.field) + ": " + std::string(warning.detail) +
                                 " [" + std::string(warning.rule) + "]");
}

TEST(CppHeader, InvalidEvaluatorAllowsNothing) {
  const Evaluator evaluator{"enforcement: shout"};
  EXPECT_EQ(evaluator.status(), Status::kBadSettings);
  EXPECT_EQ(name(evaluator.status()), "bad settings");
  EXPECT_THAT(std::string(evaluator.error()), HasSubstr("must be deny or audit"));
  const std::string object = graph("1");
  Request request;
  request.object = object;
  const Decision decision = evaluator.evaluate(request);
  EXPECT_EQ(decision.status(), Status::kInvalidArgument);
  EXPECT_FALSE(decision.allowed());
}

TEST(CppHeader, DecisionIsReusableAndMovable) {
  const Evaluator evaluator;
  const std::string good = graph("1");
  const std::string bad = graph("-1");
  Request request;
  Decision decision;
  EXPECT_FALSE(decision.allowed());
  EXPECT_THAT(decision.causes(), IsEmpty());
  request.object = bad;
  evaluator.evaluate(request, {}, decision);
  EXPECT_EQ(decision.causes().size(), 1U);
  request.object = good;
  evaluator.evaluate(request, {}, decision);
  EXPECT_TRUE(decision.allowed());
  const Decision moved = std::move(decision);
  EXPECT_TRUE(moved.allowed());
}

TEST(CppHeader, UnknownFieldsWarnOrDeny) {
  std::string object = graph("1");
  object.replace(object.find("\"componentType\""), 0, "\"runtimeVersionOverride\":\"1.5.0\",");
  Request request;
  request.object = object;
  request.with_schema = true;
  const Evaluator evaluator;
  EXPECT_TRUE(evaluator.evaluate(request).allowed());
  request.strict = true;
  Facts facts;
  facts.operator_generation = OperatorGeneration::kFirst;
  EXPECT_FALSE(evaluator.evaluate(request, facts).allowed());
  facts.operator_generation = OperatorGeneration::kLater;
  EXPECT_TRUE(evaluator.evaluate(request, facts).allowed());
}

TEST(CppHeader, AnswersReviews) {
  const Evaluator evaluator;
  Decision decision;
  evaluator.review("/validate-nvidia-com-v1alpha1-dynamographdeployment",
                   R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":)"
                   R"({"uid":"u","operation":"CREATE","kind":{"group":"nvidia.com",)"
                   R"("version":"v1alpha1","kind":"DynamoGraphDeployment"},"object":)" +
                       graph("1") + "}}",
                   {}, decision);
  EXPECT_EQ(decision.http_status(), 200);
  EXPECT_THAT(std::string(decision.answer()), HasSubstr("\"allowed\":true"));
}

}  // namespace
