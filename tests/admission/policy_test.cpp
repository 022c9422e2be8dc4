// The policy file: its syntax, its error messages, its effect on results.
#include "admission/policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tests/admission/policy_evaluation.hpp"
#include "tests/support/findings.hpp"
#include "tests/support/objects.hpp"

namespace dynamo::admission {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using validators::Severity;

TEST(Policy, EmptyPolicyChangesNothing) {
  EXPECT_FALSE(evaluate_with_policy("version: 1").allowed);
}

TEST(Policy, DenialBecomesWarning) {
  const PolicyResult result = evaluate_with_policy(
      "{version: 1, severities: [{rules: service.replicas.*, severity: warn}]}");
  EXPECT_TRUE(result.allowed);
  EXPECT_THAT(result.warnings, ElementsAre(test::Place{"spec.services[A].replicas",
                                                       "service.replicas.non-negative"}));
}

TEST(Policy, RuleCanBeTurnedOff) {
  const PolicyResult result =
      evaluate_with_policy("{version: 1, severities: [{rules: ['*'], severity: off}]}");
  EXPECT_TRUE(result.allowed);
  EXPECT_THAT(result.warnings, IsEmpty());
}

// No other rule validates an object that is too large, so nothing may let it pass.
TEST(Policy, UnbendingRulesCannotBeWeakened) {
  std::string services;
  for (int i = 0; i < 65; ++i) services += "A" + std::to_string(i) + ": {" DYNAMO_GOOD_SERVICE "},";
  const std::string large_graph = "{metadata: {name: llama}, spec: {services: {" + services + "}}}";
  std::string mounts;
  for (int i = 0; i < 257; ++i) mounts += "{name: c, mountPath: /a},";
  const std::string large_pod =
      "{metadata: {name: llama}, spec: {services: {A: {componentType: frontend, replicas: 1, "
      "extraPodSpec: {mainContainer: {image: a, volumeMounts: [" +
      mounts + "]}}}}}}";
  const std::string wrong_type =
      "{metadata: {name: llama}, spec: {services: {A: {" DYNAMO_UNSCALED_SERVICE
      ", replicas: '1'}}}}";
  const struct {
    std::string_view object;
    std::string_view rule;
  } rows[] = {{large_graph, "dgd.services.limit"},
              {large_pod, "pod.too-much"},
              {wrong_type, "type.mismatch"}};
  for (const auto& row : rows) {
    for (const std::string_view policy :
         {"{version: 1, severities: [{rules: '*', severity: warn}]}",
          "{version: 1, severities: [{rules: '*', severity: off}]}",
          "{version: 1, severities: [{rules: '*', severity: off, namespaces: team-a}]}",
          "{version: 1, exemptions: [{rules: '*', holder: a, reason: b, expires: 2026-03-01}]}"}) {
      const PolicyResult result = evaluate_with_policy(policy, row.object);
      EXPECT_FALSE(result.allowed) << row.rule << policy;
      EXPECT_THAT(result.errors,
                  testing::Contains(testing::Field(&test::Place::rule, std::string(row.rule))))
          << policy;
    }
  }
}

TEST(Policy, WarningBecomesDenial) {
  constexpr std::string_view kDeprecated =
      "{metadata: {name: a}, spec: {services: {A: {" DYNAMO_GOOD_SERVICE
      ", autoscaling: {enabled: true}}}}}";
  EXPECT_TRUE(evaluate_with_policy("version: 1", kDeprecated).allowed);
  EXPECT_FALSE(
      evaluate_with_policy(
          "{version: 1, severities: [{rules: service.autoscaling.deprecated, severity: deny}]}",
          kDeprecated)
          .allowed);
}

TEST(Policy, LastStatementWins) {
  EXPECT_FALSE(evaluate_with_policy("{version: 1, severities: [{rules: '*', severity: off}, "
                                    "{rules: service.*, severity: deny}]}")
                   .allowed);
}

TEST(Policy, LastScopedStatementWins) {
  const auto allowed_with = [](std::string_view first, std::string_view last) {
    return evaluate_with_policy(
               "{version: 1, severities: [{rules: '*', namespaces: team-a, severity: " +
               std::string(first) + "}, {rules: '*', names: llama, severity: " + std::string(last) +
               "}]}")
        .allowed;
  };
  EXPECT_FALSE(allowed_with("off", "deny"));
  EXPECT_TRUE(allowed_with("deny", "off"));
}

TEST(Policy, ScopeLimitsStatement) {
  const auto allowed_with = [](std::string_view scope) {
    return evaluate_with_policy("{version: 1, severities: [{rules: '*', severity: off, " +
                                std::string(scope) + "}]}")
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

TEST(Policy, ExemptionEndsOnItsDay) {
  const PolicyResult before = evaluate_with_policy(std::string(kExemption) + "2026-02-04}]}");
  EXPECT_TRUE(before.allowed);
  ASSERT_EQ(before.warning_texts.size(), 1U);
  EXPECT_THAT(before.warning_texts[0],
              HasSubstr("held by team-a until 2026-02-04: a test, ticket 1"));
  EXPECT_FALSE(evaluate_with_policy(std::string(kExemption) + "2026-02-03}]}").allowed);
}

TEST(Policy, ExemptionEndsAtItsSecond) {
  EXPECT_TRUE(evaluate_with_policy(std::string(kExemption) + "'2026-02-03T04:05:07Z'}]}").allowed);
  EXPECT_FALSE(evaluate_with_policy(std::string(kExemption) + "'2026-02-03T04:05:06Z'}]}").allowed);
}

TEST(Policy, AuditAnnotationNamesExemptionHolder) {
  const PolicyResult result = evaluate_with_policy(std::string(kExemption) + "2026-02-04}]}");
  EXPECT_EQ(result.answer.audit_key, "exempted-by");
  EXPECT_EQ(result.answer.audit_value, "team-a");
}

// Many sidecars, each with a warning about its floating tag.
std::string sidecars(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += "{name: s" + std::to_string(i) + ", image: 'docker.io/a/b:latest'}, ";
  }
  return text;
}

// A graph whose last service is exempt and whose first gets the given number of warnings.
std::string noisy_graph(int warnings) {
  return "{metadata: {name: llama}, spec: {services: {A: {componentType: frontend, replicas: 1, "
         "extraPodSpec: {mainContainer: {image: a}, containers: [" +
         sidecars(warnings) + "]}}, Z: {" DYNAMO_UNSCALED_SERVICE ", replicas: -1}}}}";
}

// The exemption, with those warnings enabled.
std::string noisy_exemption() {
  return std::string(kExemption) +
         "2026-02-04}], severities: [{rules: pod.image.floating-tag, severity: warn}]}";
}

TEST(Policy, ExemptionPrecedesOtherWarningsIfListIsCut) {
  for (const int warnings : {90, 125}) {
    const PolicyResult result = evaluate_with_policy(noisy_exemption(), noisy_graph(warnings));
    EXPECT_TRUE(result.allowed);
    ASSERT_GT(result.warning_texts.size(), 2U);
    EXPECT_THAT(result.warning_texts.back(), HasSubstr(" more; validate the manifest"));
    EXPECT_THAT(result.warning_texts.front(), HasSubstr("held by team-a until 2026-02-04"))
        << warnings;
    EXPECT_THAT(result.warnings, testing::Contains(test::Place{"spec.services[Z].replicas",
                                                               "service.replicas.non-negative"}))
        << warnings;
  }
}

// Excused errors fill the list of findings; further ones are only counted.
TEST(Policy, ExemptionCoversOnlyItsRulesDespiteManyErrors) {
  const auto graph = [](int mounts, std::string_view last) {
    std::string text =
        "{metadata: {name: llama}, spec: {pvcs: [{name: c}], services: {A: "
        "{" DYNAMO_GOOD_SERVICE ", volumeMounts: [";
    for (int i = 0; i < mounts; ++i) text += "{name: c}, ";
    return text + "]}, " + std::string(last) + "}}}";
  };
  const std::string policy =
      "{version: 1, severities: [{rules: storage.*, severity: off}], exemptions: [{rules: "
      "service.mount.point, holder: team-a, reason: ticket 1, expires: 2026-02-04}]}";
  constexpr std::string_view kBroken = "Z: {componentType: worker, ingress: {enabled: true}}";
  for (const int mounts : {10, 130}) {
    const PolicyResult exempt = evaluate_with_policy(policy, graph(mounts, ""));
    EXPECT_TRUE(exempt.allowed) << mounts;
    EXPECT_EQ(exempt.warnings.size(), std::min(mounts, 100));
    const PolicyResult broken = evaluate_with_policy(policy, graph(mounts, kBroken));
    EXPECT_FALSE(broken.allowed) << mounts;
    EXPECT_THAT(broken.errors, testing::Contains(test::Place{"spec.services[Z].ingress.host",
                                                             "service.ingress.host"}));
    EXPECT_THAT(
        broken.errors,
        testing::Not(testing::Contains(testing::Field(&test::Place::rule, "service.mount.point"))));
    EXPECT_EQ(broken.answer.audit_key, "denied-by");
  }
}

TEST(Policy, ExemptionWarningKeepsItsPlaceIfListFits) {
  const PolicyResult result = evaluate_with_policy(noisy_exemption(), noisy_graph(0));
  ASSERT_EQ(result.warning_texts.size(), 3U);
  EXPECT_THAT(result.warning_texts.back(), HasSubstr("held by team-a until 2026-02-04"));
}

TEST(Policy, ExemptionCoversOnlyItsScope) {
  EXPECT_FALSE(
      evaluate_with_policy(std::string(kExemption) + "2026-02-04}]}", kNegative, "team-b").allowed);
  EXPECT_FALSE(evaluate_with_policy(std::string(kExemption) + "2026-02-04}]}",
                                    "{metadata: {name: a}, spec: {services: {}}}")
                   .allowed);
}

// An object that the operator creates from a graph `llama`, and one that a user wrote.
constexpr std::string_view kOwned =
    "{metadata: {name: llama-a, ownerReferences: [{apiVersion: nvidia.com/v1alpha1, kind: "
    "DynamoGraphDeployment, name: llama}]}, spec: {replicas: -1}}";
constexpr std::string_view kOperator = "system:serviceaccount:dynamo:operator";

PolicyResult written_by(std::string_view user, std::string_view policy,
                        std::string_view object = kOwned) {
  return evaluate_with_policy(policy, object, "team-a", api::Kind::kComponentDeployment, user);
}

TEST(Policy, GraphScopeCoversOwnedComponents) {
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

// The operator labels the checkpoints that it creates from a graph, but does not own them.
std::string checkpoint(std::string_view metadata) {
  return "{metadata: {name: 0a0b0c0d0e0f0a0b" + std::string(metadata) +
         "}, spec: {identity: {model: m, backendFramework: vllm}, job: {podTemplateSpec: {spec: "
         "{restartPolicy: Never, containers: [{name: main, image: 'docker.io/a/b:latest', "
         "command: [python3, -m, dynamo.vllm]}]}}}}}";
}
constexpr std::string_view kLabelled = ", labels: {nvidia.com/dynamo-graph-deployment-name: llama}";

TEST(Policy, GraphScopeCoversLabelledCheckpoints) {
  constexpr std::string_view kForOthers =
      "{version: 1, severities: [{rules: pod.image.floating-tag, severity: deny}, {rules: "
      "pod.image.floating-tag, severity: off, names: llama}]}";
  constexpr std::string_view kExempt =
      "{version: 1, parameters: [{allowedRegistries: [nvcr.io]}], exemptions: [{rules: "
      "policy.registry, names: llama, holder: h, reason: r, expires: 2026-03-01}]}";
  const auto allowed = [](std::string_view user, std::string_view policy,
                          std::string_view metadata) {
    return evaluate_with_policy(policy, checkpoint(metadata), "team-a", api::Kind::kCheckpoint,
                                user)
        .allowed;
  };
  for (const std::string_view policy : {kForOthers, kExempt}) {
    EXPECT_TRUE(allowed(kOperator, policy, kLabelled)) << policy;
    EXPECT_FALSE(allowed("jane", policy, kLabelled)) << "a label is no way around a policy";
    EXPECT_FALSE(allowed("system:serviceaccount:team-a:operator", policy, kLabelled));
    EXPECT_FALSE(allowed(kOperator, policy, "")) << "made of no graph";
    EXPECT_FALSE(
        allowed(kOperator, policy, ", labels: {nvidia.com/dynamo-graph-deployment-name: 1}"));
  }
}

TEST(Policy, LabelCountsForCheckpointsOnly) {
  constexpr std::string_view kOff =
      "{version: 1, severities: [{rules: '*', names: llama, severity: off}]}";
  EXPECT_FALSE(
      written_by(kOperator, kOff,
                 "{metadata: {name: a" + std::string(kLabelled) + "}, spec: {replicas: -1}}")
          .allowed);
}

TEST(Policy, OperatorIsNotDeniedByStricterPolicy) {
  constexpr std::string_view kStrict =
      "{version: 1, severities: [{rules: service.autoscaling.deprecated, severity: deny}]}";
  constexpr std::string_view kWarned =
      "{metadata: {name: llama-a, ownerReferences: [{apiVersion: nvidia.com/v1alpha1, kind: "
      "DynamoGraphDeployment, name: llama}]}, spec: {replicas: 1, autoscaling: {enabled: true}, "
      "extraPodSpec: {mainContainer: {image: i}}}}";
  EXPECT_FALSE(written_by("jane", kStrict, kWarned).allowed);
  EXPECT_THAT(written_by(kOperator, kStrict, kWarned).errors, IsEmpty());
}

TEST(Policy, JsonPolicyIsAccepted) {
  EXPECT_EQ(policy_of(R"({"version": 1, "severities": [{"rules": ["dgd.*"], "severity": "warn"}]})")
                .severities()
                .size(),
            1U);
}

TEST(PolicyMistakes, AllMistakesAreReportedWithLocation) {
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
                          HasSubstr("line 8, column 13: holder must be a string"),
                          HasSubstr("line 9, column 14: expires must be a day"),
                          HasSubstr("line 10, column 5: unknown field \"until\" in an exemption"),
                          HasSubstr("line 7, column 5: reason is missing")));
}

TEST(PolicyMistakes, WeakeningUnbendingRuleIsRefused) {
  EXPECT_THAT(mistakes("version: 1\n"
                       "severities:\n"
                       "  - {rules: [dgd.*, pod.too-much], severity: warn}\n"
                       "  - {rules: dgd.services.limit, severity: off, namespaces: a}\n"
                       "  - {rules: ['pod.too-*', type.mismatch], severity: deny}\n"
                       "exemptions:\n"
                       "  - {rules: 'type.mis*', holder: a, reason: b, expires: 2026-03-01}\n"),
              ElementsAre(HasSubstr("line 3, column 21: \"pod.too-much\" cannot be softened"),
                          HasSubstr("line 4, column 13: \"dgd.services.limit\" cannot be softened"),
                          HasSubstr("line 7, column 13: \"type.mis*\" cannot be softened")));
}

TEST(PolicyMistakes, EachLineNamesTheFile) {
  EXPECT_EQ(describe_errors("/etc/policy.yaml", {{1, 2, "a"}, {0, 0, "b"}}),
            "/etc/policy.yaml: line 1, column 2: a\n/etc/policy.yaml: b");
  EXPECT_EQ(describe_errors("/etc/policy.yaml", {}), "");
}

TEST(PolicyMistakes, NonPolicyTextIsRefused) {
  EXPECT_THAT(mistakes(""), ElementsAre(HasSubstr("found nothing")));
  EXPECT_THAT(mistakes("- a"), ElementsAre(HasSubstr("a policy must be an object; found list")));
  EXPECT_THAT(mistakes("severities: []"), ElementsAre(HasSubstr("version is missing")));
  EXPECT_THAT(mistakes("version: 1\n---\nversion: 1\n"),
              ElementsAre(HasSubstr("must hold one document")));
  EXPECT_THAT(mistakes("version: [1"), ElementsAre(HasSubstr("line ")));
  EXPECT_THAT(mistakes("{version: 1, exemptions: {}}"),
              ElementsAre(HasSubstr("exemptions must be a list")));
  EXPECT_THAT(mistakes("{version: 1, severities: [a]}"),
              ElementsAre(HasSubstr("a severity must be an object")));
  EXPECT_THAT(mistakes("{version: 1, severities: [{rules: [], severity: off}]}"),
              ElementsAre(HasSubstr("rules must be a string or a list")));
  EXPECT_THAT(mistakes("{version: 1, severities: [{rules: [1], severity: off}]}"),
              ElementsAre(HasSubstr("rules must hold strings")));
  EXPECT_THAT(mistakes("version: 1\nseverities:\n- rules: '*'\n  severity: off\n  kinds:\n"
                       "  - dgd\n  - pod\n  - dm\n"),
              ElementsAre(HasSubstr("line 7, column 5: no kind with rules is called \"pod\"")));
  EXPECT_THAT(mistakes("{version: 1, severities: [{rules: '*', severity: off, kinds: pod}]}"),
              ElementsAre(HasSubstr("no kind with rules is called \"pod\"")));
  EXPECT_THAT(mistakes("{version: 1, severities: [{rules: schema.minimum, severity: off}]}"),
              ElementsAre(HasSubstr("\"schema.minimum\" is checked by the API server itself")));
  EXPECT_THAT(mistakes(std::string(kMaxPolicyBytes + 1, '#')),
              ElementsAre(HasSubstr("at most 1048576 bytes")));
}

}  // namespace
}  // namespace dynamo::admission
