// Short helpers for the tests of the C boundary, and their shared fixture.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "library/include/dynamo_admission.h"

namespace dynamo::test {

inline constexpr dynamo_admission_text kAbsent{nullptr, 0};

inline dynamo_admission_text text(std::string_view view) {
  return {view.data(), view.size()};
}

inline std::string copy(dynamo_admission_text view) {
  EXPECT_NE(view.data, nullptr);
  EXPECT_EQ(view.data[view.length], '\0') << "every answered text ends with a zero byte";
  return {view.data, view.length};
}

struct FreeEvaluator {
  void operator()(dynamo_admission_evaluator* it) const { dynamo_admission_evaluator_free(it); }
};
struct FreeDecision {
  void operator()(dynamo_admission_decision* it) const { dynamo_admission_decision_free(it); }
};
using Evaluator = std::unique_ptr<dynamo_admission_evaluator, FreeEvaluator>;
using Decision = std::unique_ptr<dynamo_admission_decision, FreeDecision>;

inline Evaluator make_evaluator(std::string_view settings = "", std::string_view policy = {}) {
  dynamo_admission_evaluator* created = nullptr;
  dynamo_admission_error error{};
  EXPECT_EQ(dynamo_admission_evaluator_create(text(settings), text(policy), &created, &error),
            DYNAMO_ADMISSION_OK)
      << error.message;
  return Evaluator{created};
}

inline Decision make_decision() {
  dynamo_admission_decision* created = nullptr;
  EXPECT_EQ(dynamo_admission_decision_create(&created), DYNAMO_ADMISSION_OK);
  return Decision{created};
}

inline constexpr std::string_view kGood = R"({
  "apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment",
  "metadata": {"name": "llama", "namespace": "team-a"},
  "spec": {"backendFramework": "vllm", "services": {"Frontend": {"componentType": "frontend",
    "replicas": 1, "extraPodSpec": {
    "mainContainer": {"image": "nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1"}}}}}})";

inline constexpr std::string_view kNegative = R"({
  "apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment",
  "metadata": {"name": "llama", "namespace": "team-a"},
  "spec": {"backendFramework": "vllm", "services": {"Frontend": {"componentType": "frontend",
    "replicas": -1, "extraPodSpec": {
    "mainContainer": {"image": "nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1"}}}}}})";

inline dynamo_admission_request request_of(std::string_view operation, std::string_view object,
                                           dynamo_admission_text old_object = kAbsent) {
  dynamo_admission_request request{};
  request.struct_size = sizeof request;
  request.operation = text(operation);
  request.object = text(object);
  request.old_object = old_object;
  return request;
}

inline dynamo_admission_facts no_facts() {
  dynamo_admission_facts facts{};
  facts.struct_size = sizeof facts;
  return facts;
}

inline std::string review_of(std::string_view object) {
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u-1",)"
         R"("kind":{"group":"nvidia.com","version":"v1alpha1","kind":"DynamoGraphDeployment"},)"
         R"("name":"llama","namespace":"team-a","operation":"CREATE",)"
         R"("userInfo":{"username":"jane"},"object":)" +
         std::string(object) + "}}";
}

inline constexpr std::string_view kValidate = "/validate-nvidia-com-v1alpha1-dynamographdeployment";
inline constexpr std::string_view kMutate = "/mutate-nvidia-com-v1alpha1-dynamographdeployment";

// One evaluator and one decision per test.
class CAbi : public testing::Test {
 protected:
  dynamo_admission_status evaluate(const dynamo_admission_request& request) {
    return dynamo_admission_evaluate(evaluator_.get(), &request, nullptr, decision_.get());
  }
  dynamo_admission_status evaluate(std::string_view operation, std::string_view object,
                                   dynamo_admission_text old_object = kAbsent) {
    return evaluate(request_of(operation, object, old_object));
  }
  std::string error() const { return copy(dynamo_admission_decision_error(decision_.get())); }
  bool allowed() const { return dynamo_admission_decision_allowed(decision_.get()) != 0; }
  std::string cause(std::size_t index, dynamo_admission_part part) const {
    return copy(dynamo_admission_decision_cause(decision_.get(), index, part));
  }
  std::size_t causes() const { return dynamo_admission_decision_cause_count(decision_.get()); }

  // After a failure no earlier verdict remains.
  void expect_no_results() const {
    EXPECT_FALSE(allowed());
    EXPECT_EQ(causes(), 0U);
    EXPECT_EQ(dynamo_admission_decision_warning_count(decision_.get()), 0U);
    EXPECT_EQ(copy(dynamo_admission_decision_patch(decision_.get())), "");
    EXPECT_EQ(copy(dynamo_admission_decision_stored(decision_.get())), "");
    EXPECT_EQ(copy(dynamo_admission_decision_message(decision_.get())), "");
    EXPECT_EQ(copy(dynamo_admission_decision_exemption(decision_.get())), "");
    EXPECT_EQ(copy(dynamo_admission_decision_answer(decision_.get())), "");
    EXPECT_NE(dynamo_admission_decision_status(decision_.get()), DYNAMO_ADMISSION_OK);
    EXPECT_NE(error(), "");
  }

  Evaluator evaluator_ = make_evaluator();
  Decision decision_ = make_decision();
};

}  // namespace dynamo::test
