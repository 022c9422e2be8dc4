// The policy file: what it may say, how its mistakes are told, what it makes of a verdict.
#include "admission/policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/admission/policy_judging.hpp"
#include "tests/support/findings.hpp"
#include "tests/support/objects.hpp"

namespace dynamo::admission {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using validators::Severity;

TEST(Policy, ChangesNothingWhenItSaysNothing) {
  EXPECT_FALSE(judged("version: 1").allowed);
}

TEST(Policy, TurnsADenialIntoAWarning) {
  const Judged result =
      judged("{version: 1, severities: [{rules: service.replicas.*, severity: warn}]}");
  EXPECT_TRUE(result.allowed);
  EXPECT_THAT(result.warnings, ElementsAre(test::Place{"spec.services[A].replicas",
                                                       "service.replicas.non-negative"}));
}

TEST(Policy, SilencesARule) {
  const Judged result = judged("{version: 1, severities: [{rules: ['*'], severity: off}]}");
  EXPECT_TRUE(result.allowed);
  EXPECT_THAT(result.warnings, IsEmpty());
}

TEST(Policy, TurnsAWarningIntoADenial) {
  constexpr std::string_view kDeprecated =
      "{metadata: {name: a}, spec: {services: {A: {" DYNAMO_GOOD_SERVICE
      ", autoscaling: {enabled: true}}}}}";
  EXPECT_TRUE(judged("version: 1", kDeprecated).allowed);
  EXPECT_FALSE(
      judged("{version: 1, severities: [{rules: service.autoscaling.deprecated, severity: deny}]}",
             kDeprecated)
          .allowed);
}

TEST(Policy, LetsTheLastStatementWin) {
  EXPECT_FALSE(judged("{version: 1, severities: [{rules: '*', severity: off}, "
                      "{rules: service.*, severity: deny}]}")
                   .allowed);
}

TEST(Policy, CoversOnlyWhatItNames) {
  const auto allowed_with = [](std::string_view scope) {
    return judged("{version: 1, severities: [{rules: '*', severity: off, " + std::string(scope) +
                  "}]}")
        .allowed;
  };
  EXPECT_TRUE(allowed_with("namespaces: [team-*]"));
  EXPECT_FALSE(allowed_with("namespaces: [prod-*]"));
  EXPECT_TRUE(allowed_with("names: [other, lla*]"));
  EXPECT_FALSE(allowed_with("names: other"));
  EXPECT_TRUE(allowed_with("kinds: [dgd]"));
  EXPECT_TRUE(allowed_with("kinds: [DynamoGraphDeployment, DynamoModel]"));
  EXPECT_FALSE(allowed_with("kinds: [DynamoModel]"));
  EXPECT_FALSE(allowed_with("namespaces: [team-a], names: [other]"));
}

constexpr std::string_view kExemption =
    "{version: 1, exemptions: [{rules: service.replicas.*, namespaces: team-a, holder: team-a, "
    "reason: 'a test, ticket 1', expires: ";

TEST(Policy, ExemptsUntilTheDay) {
  const Judged before = judged(std::string(kExemption) + "2026-02-04}]}");
  EXPECT_TRUE(before.allowed);
  ASSERT_EQ(before.warning_texts.size(), 1U);
  EXPECT_THAT(before.warning_texts[0],
              HasSubstr("held by team-a until 2026-02-04: a test, ticket 1"));
  EXPECT_FALSE(judged(std::string(kExemption) + "2026-02-03}]}").allowed);
}

TEST(Policy, ExemptsToTheSecond) {
  EXPECT_TRUE(judged(std::string(kExemption) + "'2026-02-03T04:05:07Z'}]}").allowed);
  EXPECT_FALSE(judged(std::string(kExemption) + "'2026-02-03T04:05:06Z'}]}").allowed);
}

TEST(Policy, NamesTheHolderOfAUsedExemptionInTheAuditLog) {
  const Judged result = judged(std::string(kExemption) + "2026-02-04}]}");
  EXPECT_EQ(result.answer.audit_key, "exempted-by");
  EXPECT_EQ(result.answer.audit_value, "team-a");
}

TEST(Policy, ExemptsOnlyWhomItNames) {
  EXPECT_FALSE(judged(std::string(kExemption) + "2026-02-04}]}", kNegative, "team-b").allowed);
  EXPECT_FALSE(judged(std::string(kExemption) + "2026-02-04}]}",
                      "{metadata: {name: a}, spec: {services: {}}}")
                   .allowed);
}

// What the operator makes of a graph `llama`, and of what a user has written himself.
constexpr std::string_view kOwned =
    "{metadata: {name: llama-a, ownerReferences: [{apiVersion: nvidia.com/v1alpha1, kind: "
    "DynamoGraphDeployment, name: llama}]}, spec: {replicas: -1}}";
constexpr std::string_view kOperator = "system:serviceaccount:dynamo:operator";

Judged written_by(std::string_view user, std::string_view policy,
                  std::string_view object = kOwned) {
  return judged(policy, object, "team-a", api::Kind::kComponentDeployment, user);
}

TEST(Policy, ForAGraphCoversWhatTheOperatorMakesOfIt) {
  constexpr std::string_view kExempt =
      "{version: 1, exemptions: [{rules: '*', names: llama, kinds: dgd, holder: h, reason: r, "
      "expires: 2026-03-01}]}";
  EXPECT_TRUE(written_by(kOperator, kExempt).allowed);
  EXPECT_FALSE(written_by("jane", kExempt).allowed);
  EXPECT_FALSE(
      written_by(kOperator, kExempt, "{metadata: {name: llama-a}, spec: {replicas: -1}}").allowed);
  constexpr std::string_view kWarn =
      "{version: 1, severities: [{rules: '*', names: llama, severity: warn}]}";
  EXPECT_TRUE(written_by(kOperator, kWarn).allowed);
  EXPECT_FALSE(written_by("jane", kWarn).allowed);
}

TEST(Policy, DeniesTheOperatorNothingThatTheCatalogueOnlyWarnsOf) {
  constexpr std::string_view kStrict =
      "{version: 1, severities: [{rules: service.autoscaling.deprecated, severity: deny}]}";
  constexpr std::string_view kWarned =
      "{metadata: {name: llama-a, ownerReferences: [{apiVersion: nvidia.com/v1alpha1, kind: "
      "DynamoGraphDeployment, name: llama}]}, spec: {replicas: 1, autoscaling: {enabled: true}, "
      "extraPodSpec: {mainContainer: {image: i}}}}";
  EXPECT_FALSE(written_by("jane", kStrict, kWarned).allowed);
  EXPECT_THAT(written_by(kOperator, kStrict, kWarned).errors, IsEmpty());
}

TEST(Policy, IsTakenAsJsonToo) {
  EXPECT_EQ(policy_of(R"({"version": 1, "severities": [{"rules": ["dgd.*"], "severity": "warn"}]})")
                .severities()
                .size(),
            1U);
}

TEST(PolicyMistakes, AreAllToldWithTheirPlaces) {
  EXPECT_THAT(mistakes("version: 2\n"
                       "severities:\n"
                       "  - rules: [no.such.rule, dgd.*]\n"
                       "    severity: maybe\n"
                       "  - severity: off\n"
                       "exemptions:\n"
                       "  - rules: dgd.*\n"
                       "    holder: ''\n"
                       "    expires: tomorrow\n"
                       "    until: never\n"),
              ElementsAre(HasSubstr("line 1, column 10: version must be 1"),
                          HasSubstr("line 3, column 13: no rule is called \"no.such.rule\""),
                          HasSubstr("line 4, column 15: severity must be deny, warn or off"),
                          HasSubstr("line 5, column 5: rules is missing"),
                          HasSubstr("line 8, column 13: holder must be a text"),
                          HasSubstr("line 9, column 14: expires must be a day"),
                          HasSubstr("line 10, column 12: unknown field \"until\" in an exemption"),
                          HasSubstr("line 7, column 5: reason is missing")));
}

TEST(PolicyMistakes, IncludeWhatIsNoPolicyAtAll) {
  EXPECT_THAT(mistakes(""), ElementsAre(HasSubstr("found nothing")));
  EXPECT_THAT(mistakes("- a"), ElementsAre(HasSubstr("a policy must be a mapping; found array")));
  EXPECT_THAT(mistakes("severities: []"), ElementsAre(HasSubstr("version is missing")));
  EXPECT_THAT(mistakes("version: 1\n---\nversion: 1\n"),
              ElementsAre(HasSubstr("must hold one document")));
  EXPECT_THAT(mistakes("version: [1"), ElementsAre(HasSubstr("line ")));
  EXPECT_THAT(mistakes("{version: 1, exemptions: {}}"),
              ElementsAre(HasSubstr("exemptions must be a list")));
  EXPECT_THAT(mistakes("{version: 1, severities: [a]}"),
              ElementsAre(HasSubstr("a severity must be a mapping")));
  EXPECT_THAT(mistakes("{version: 1, severities: [{rules: [], severity: off}]}"),
              ElementsAre(HasSubstr("rules must be a text or a list")));
  EXPECT_THAT(mistakes("{version: 1, severities: [{rules: [1], severity: off}]}"),
              ElementsAre(HasSubstr("rules must hold texts")));
  EXPECT_THAT(mistakes("{version: 1, severities: [{rules: '*', severity: off, kinds: pod}]}"),
              ElementsAre(HasSubstr("no kind with rules is called \"pod\"")));
  EXPECT_THAT(mistakes("{version: 1, severities: [{rules: schema.minimum, severity: off}]}"),
              ElementsAre(HasSubstr("\"schema.minimum\" is checked by the API server itself")));
  EXPECT_THAT(mistakes(std::string(kMaxPolicyBytes + 1, '#')),
              ElementsAre(HasSubstr("at most 1048576 bytes")));
}

}  // namespace
}  // namespace dynamo::admission
