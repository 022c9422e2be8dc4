// Policies for tests, and objects that are evaluated with them.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/answer.hpp"
#include "admission/evaluate.hpp"
#include "admission/policy.hpp"
#include "tests/support/api_server.hpp"
#include "tests/support/findings.hpp"
#include "tests/support/objects.hpp"
#include "tests/support/review_fixture.hpp"

namespace dynamo::admission {

// 2026-02-03T04:05:06Z
inline const std::chrono::system_clock::time_point kNow =
    std::chrono::system_clock::from_time_t(1'770'091'506);

inline constexpr std::string_view kNegative =
    "{metadata: {name: llama}, spec: {services: {A: {" DYNAMO_UNSCALED_SERVICE ", replicas: -1}}}}";

inline Policy policy_of(std::string_view text) {
  ReadPolicy read = read_policy(text);
  for (const PolicyError& error : read.errors) ADD_FAILURE() << error.message();
  return read.policy.value_or(Policy{});
}

// Every mistake of a policy, as reported.
inline std::vector<std::string> mistakes(std::string_view text) {
  std::vector<std::string> lines;
  const ReadPolicy read = read_policy(text);
  EXPECT_NE(read.policy.has_value(), !read.errors.empty());
  lines.reserve(read.errors.size());
  for (const PolicyError& error : read.errors) lines.push_back(error.message());
  return lines;
}

struct PolicyResult {
  bool allowed;
  std::vector<test::Place> errors;
  std::vector<test::Place> warnings;
  std::vector<std::string> warning_texts;
  test::ResponseCheck answer;
};

// The result for a new object under a policy, by default a graph in team-a, and the API server's
// handling of the answer.
inline PolicyResult evaluate_with_policy(std::string_view policy_text,
                                         std::string_view object_text = kNegative,
                                         std::string_view namespace_name = "team-a",
                                         api::Kind kind = api::Kind::kGraphDeployment,
                                         std::optional<std::string_view> user = std::nullopt) {
  const Policy policy = policy_of(policy_text);
  const json::Document object = test::from_yaml(object_text);
  const api::AdmissionRequest request{.uid = "u",
                                      .kind = {"nvidia.com", "v1alpha1", api::names(kind).name},
                                      .namespace_name = namespace_name,
                                      .user = user,
                                      .object = object.root()};
  api::Settings settings;
  settings.operator_service_account = api::ServiceAccount{"dynamo", "operator"};
  const api::ClusterFacts facts{.inference_pool_served = api::Fact::kYes};
  const test::FakeNamespaceLeases leases;
  const EvaluationInputs inputs{settings, facts, leases, kNow, &policy};
  const Route& route = test::validating(kind);
  Decision decision;
  evaluate(route, request, inputs, decision);
  PolicyResult result{decision.is_allowed(),
                      test::places_of(decision.findings),
                      test::warnings_of(decision.findings),
                      render_warnings(decision.findings, false),
                      {}};
  std::string answer;
  write_answer(route, request, decision, Enforcement::kDeny, answer);
  const std::string review =
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u"}})";
  result.answer = test::accept_answer(review, answer, test::Webhook::kValidating);
  EXPECT_EQ(result.answer.complaint, "");
  return result;
}

}  // namespace dynamo::admission
