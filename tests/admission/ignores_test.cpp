// The findings that an author may ignore on the server if the policy allows it.
#include "admission/ignores.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "tests/admission/policy_evaluation.hpp"
#include "validators/catalog.hpp"

namespace dynamo::admission {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kHonoured = "{version: 1, honourIgnores: true}";

// A worker with an invalid word (pod.vocabulary denies), no GPU (res.gpu.missing warns) and `more`,
// with the annotations of an author.
std::string graph(std::string_view annotations, std::string_view more = "replicas: 1") {
  return "{metadata: {name: llama, annotations: {" + std::string(annotations) +
         "}}, spec: {services: {A: {componentType: worker, " + std::string(more) +
         ", extraPodSpec: {dnsPolicy: Foo, mainContainer: {image: 'a:1', command: [python3, -m, "
         "dynamo.vllm]}}}}}}";
}

std::string ignoring(std::string_view rules, std::string_view reason = "ticket 7") {
  return "dynamo-admission.nvidia.com/ignore: '" + std::string(rules) +
         "', dynamo-admission.nvidia.com/ignore-reason: '" + std::string(reason) + "'";
}

std::vector<std::string_view> rules_of(const std::vector<test::Place>& places) {
  std::vector<std::string_view> rules;
  for (const test::Place& place : places) rules.push_back(place.rule);
  return rules;
}

TEST(Ignores, AreHonouredOnlyIfPolicyAllows) {
  const std::string object = graph(ignoring("pod.vocabulary"));
  for (const std::string_view policy : {"version: 1", "{version: 1, honourIgnores: false}"}) {
    EXPECT_FALSE(evaluate_with_policy(policy, object).allowed) << policy;
  }
  EXPECT_TRUE(evaluate_with_policy(kHonoured, object).allowed);
}

TEST(Ignores, WarningHasCountAndReason) {
  const PolicyResult result =
      evaluate_with_policy(kHonoured, graph(ignoring(" pod.vocabulary , res.gpu.*")));
  EXPECT_TRUE(result.allowed);
  EXPECT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.warning_texts,
              Contains("metadata.annotations[dynamo-admission.nvidia.com/ignore]: 1 finding is "
                       "ignored, as the annotation asks, because: ticket 7 [pod.vocabulary]"));
  EXPECT_THAT(rules_of(result.warnings), Contains("res.gpu.missing").Times(1));
  EXPECT_THAT(result.warning_texts, Contains(testing::AllOf(HasSubstr("1 finding is ignored"),
                                                            HasSubstr("[res.gpu.missing]"))));
}

TEST(Ignores, MissingReasonIgnoresNothing) {
  for (const std::string& annotations :
       {ignoring("*", " "), std::string("dynamo-admission.nvidia.com/ignore: '*'")}) {
    const PolicyResult result = evaluate_with_policy(kHonoured, graph(annotations));
    EXPECT_FALSE(result.allowed) << annotations;
    EXPECT_THAT(result.warning_texts,
                Contains(HasSubstr("metadata.annotations[dynamo-admission.nvidia.com/ignore]: "
                                   "ignores nothing without a reason; write "
                                   "dynamo-admission.nvidia.com/ignore-reason: WHY"))
                    .Times(1));
  }
}

TEST(Ignores, MissingReasonNamesFirstRule) {
  const auto warns_of = [](std::string_view rules, std::string_view rule) {
    EXPECT_THAT(evaluate_with_policy(kHonoured, graph(ignoring(rules, ""))).warning_texts,
                Contains(testing::AllOf(HasSubstr("without a reason"), HasSubstr(rule))).Times(1))
        << rules;
  };
  warns_of("pod.vocabulary", " [pod.vocabulary]");
  warns_of("res.gpu.missing", " [res.gpu.missing]");
  warns_of("*", " [pod.vocabulary]");
}

// The server answers warnings of exemptions first, and each rule once.
TEST(Ignores, WarningIsNoExemption) {
  const Policy policy = policy_of(kHonoured);
  const json::Document object = test::from_yaml(graph(ignoring("*")));
  Decision decision;
  decision.findings.add({api::ErrorType::kInvalid, "spec.a", "must hold", "pod.vocabulary"});
  remove_ignored_findings(object.root(), decision);
  ASSERT_EQ(decision.findings.warnings().size(), 1U);
  EXPECT_FALSE(decision.findings.warnings()[0].excused);
  EXPECT_EQ(decision.ignored_errors, 1U);
}

TEST(Ignores, UnmatchedAnnotationGetsNoWarning) {
  for (const std::string& annotations : {ignoring("dgd.*", ""), ignoring("", "")}) {
    EXPECT_THAT(evaluate_with_policy(kHonoured, graph(annotations)).warning_texts,
                testing::Not(Contains(HasSubstr("without a reason"))))
        << annotations;
  }
}

TEST(Ignores, UnknownRuleIsAWarningUnderEveryPolicy) {
  const std::string object = graph(ignoring("pod.vocabulry, gpu.*"));
  for (const std::string_view policy : {std::string_view("version: 1"), kHonoured}) {
    const PolicyResult result = evaluate_with_policy(policy, object);
    EXPECT_FALSE(result.allowed) << policy;
    EXPECT_THAT(
        result.warning_texts,
        testing::IsSupersetOf(
            {"metadata.annotations[dynamo-admission.nvidia.com/ignore]: must name rules, by id or "
             "glob; found \"pod.vocabulry\", which matches none; did you mean \"pod.vocabulary\"? "
             "[ignore.unknown-rule]",
             "metadata.annotations[dynamo-admission.nvidia.com/ignore]: must name rules, by id or "
             "glob; found \"gpu.*\", which matches none; `kubectl dynamo rules` lists all "
             "[ignore.unknown-rule]"}))
        << policy;
  }
}

TEST(Ignores, DoNotApplyToOperatorOrPolicyRules) {
  const PolicyResult operators =
      evaluate_with_policy(kHonoured, graph(ignoring("*"), "replicas: -1"));
  EXPECT_FALSE(operators.allowed);
  EXPECT_EQ(rules_of(operators.errors),
            std::vector<std::string_view>{"service.replicas.non-negative"});
  const PolicyResult parameters = evaluate_with_policy(
      "{version: 1, honourIgnores: true, parameters: [{maxReplicasPerService: 8}]}",
      graph(ignoring("*"), "replicas: 9"));
  EXPECT_EQ(rules_of(parameters.errors), std::vector<std::string_view>{"policy.replicas"});
}

TEST(Ignores, ExemptedFindingsAreKept) {
  const PolicyResult result = evaluate_with_policy(
      "{version: 1, honourIgnores: true, exemptions: [{rules: service.*, holder: a, reason: "
      "b, expires: 2026-03-01}]}",
      graph(ignoring("*"), "replicas: -1"));
  EXPECT_TRUE(result.allowed);
  EXPECT_THAT(result.warning_texts, Contains(HasSubstr("exempt, held by a")));
}

TEST(Ignores, ErrorsAreKeptIfSomeWereOmitted) {
  std::string services;
  for (int at = 0; at < 120; ++at) {
    services += "s" + std::to_string(at) +
                ": {componentType: frontend, replicas: 1, extraPodSpec: {dnsPolicy: Foo}}, ";
  }
  EXPECT_FALSE(evaluate_with_policy(kHonoured, "{metadata: {name: a, annotations: {" +
                                                   ignoring("*") + "}}, spec: {services: {" +
                                                   services + "}}}")
                   .allowed);
}

TEST(Ignores, ReasonIsCutToOneShortLine) {
  const std::string reason = "\\e[31m" + std::string(500, 'x');
  const PolicyResult result =
      evaluate_with_policy(kHonoured, graph("dynamo-admission.nvidia.com/ignore: pod.vocabulary, "
                                            "dynamo-admission.nvidia.com/ignore-reason: \"" +
                                            reason + "\""));
  EXPECT_TRUE(result.allowed);
  EXPECT_THAT(result.warning_texts, Contains(testing::AllOf(HasSubstr(" [31mxxx"), HasSubstr("…"),
                                                            testing::Not(HasSubstr("\x1b")))));
}

TEST(Ignores, OnlyRulesOnRenderedObjectsCanBeIgnored) {
  for (const auto& [rule, may] :
       std::vector<std::tuple<std::string_view, bool>>{{"pod.vocabulary", true},
                                                       {"res.gpu.missing", true},
                                                       {"pod.too-much", false},
                                                       {"type.mismatch", false},
                                                       {"dgd.services.required", false},
                                                       {"policy.registry", false},
                                                       {"schema.cel.claim-creation", false},
                                                       {"no.such.rule", false}}) {
    EXPECT_EQ(can_be_ignored(rule), may) << rule;
  }
}

TEST(Ignores, PolicySwitchMustBeBoolean) {
  EXPECT_THAT(mistakes("{version: 1, honourIgnores: maybe}"),
              ElementsAre(HasSubstr("honourIgnores must be true or false")));
  EXPECT_THAT(mistakes("{version: 1, honorIgnores: true}"),
              ElementsAre(HasSubstr("did you mean honourIgnores?")));
}

}  // namespace
}  // namespace dynamo::admission
