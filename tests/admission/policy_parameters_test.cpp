// Parameters of a policy: their effect, their scope and their valid values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "admission/dry_run.hpp"
#include "admission/policy.hpp"
#include "schema/table.hpp"
#include "tests/admission/policy_evaluation.hpp"

namespace dynamo::admission {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kNine =
    "{metadata: {name: llama}, spec: {services: {A: {" DYNAMO_UNSCALED_SERVICE ", replicas: 9}}}}";

const test::Place kTooMany{"spec.services[A].replicas", "policy.replicas"};

std::string parameters(std::string_view statements) {
  return "{version: 1, parameters: [" + std::string(statements) + "]}";
}

TEST(PolicyParameters, AbsentParametersCheckNothing) {
  EXPECT_TRUE(evaluate_with_policy("version: 1", kNine).allowed);
  EXPECT_TRUE(
      evaluate_with_policy("{version: 1, severities: [{rules: policy.*, severity: deny}]}", kNine)
          .allowed);
  EXPECT_TRUE(evaluate_with_policy(parameters("{allowedLoraSchemes: s3}"), kNine).allowed);
}

TEST(PolicyParameters, RulesApplyParameters) {
  const PolicyResult result = evaluate_with_policy(parameters("{maxReplicasPerService: 8}"), kNine);
  EXPECT_FALSE(result.allowed);
  EXPECT_THAT(result.errors, ElementsAre(kTooMany));
  EXPECT_TRUE(evaluate_with_policy(parameters("{maxReplicasPerService: 9}"), kNine).allowed);
}

TEST(PolicyParameters, EachPolicyRuleUsesItsParameter) {
  const PolicyResult graph =
      evaluate_with_policy(parameters("{allowedRegistries: nvcr.io, maxReplicasPerService: 8, "
                                      "requiredResourceLimits: [memory]}"),
                           kNine);
  EXPECT_THAT(
      graph.errors,
      testing::UnorderedElementsAre(
          kTooMany,
          test::Place{"spec.services[A].extraPodSpec.mainContainer.image", "policy.registry"},
          test::Place{"spec.services[A].resources.limits", "policy.resource-limits"}));
  const PolicyResult model =
      evaluate_with_policy(parameters("{allowedLoraSchemes: [s3]}"),
                           "{metadata: {name: a}, spec: {modelName: m, baseModelName: b, "
                           "modelType: lora, source: {uri: hf://a/b}}}",
                           "team-a", api::Kind::kModel);
  EXPECT_THAT(model.errors, ElementsAre(test::Place{"spec.source.uri", "policy.lora-scheme"}));
}

TEST(PolicyParameters, ScopeOfStatementIsRespected) {
  const auto allowed_with = [](std::string_view scope) {
    return evaluate_with_policy(
               parameters("{maxReplicasPerService: 8, " + std::string(scope) + "}"), kNine)
        .allowed;
  };
  EXPECT_FALSE(allowed_with("namespaces: [team-*]"));
  EXPECT_TRUE(allowed_with("namespaces: [prod-*]"));
  EXPECT_FALSE(allowed_with("names: llama"));
  EXPECT_TRUE(allowed_with("names: other"));
  EXPECT_FALSE(allowed_with("kinds: dgd"));
  EXPECT_TRUE(allowed_with("kinds: DynamoComponentDeployment"));
}

TEST(PolicyParameters, LastStatementWinsPerParameter) {
  const Policy policy = policy_of(parameters(
      "{maxReplicasPerService: 8, allowedLoraSchemes: s3}, {maxReplicasPerService: 16, namespaces: "
      "team-a}, {allowedLoraSchemes: [hf, s3]}"));
  const auto of = [&](std::string_view space) {
    return policy.parameters_for({api::Kind::kGraphDeployment, space, "llama"});
  };
  EXPECT_EQ(of("team-a").max_replicas_per_service, 16);
  EXPECT_EQ(of("team-b").max_replicas_per_service, 8);
  EXPECT_THAT(of("team-b").allowed_lora_schemes, ElementsAre("hf", "s3"));
  EXPECT_THAT(of("team-b").allowed_registries, IsEmpty());
  EXPECT_THAT(of("team-b").required_resource_limits, IsEmpty());
}

TEST(PolicyParameters, SeveritiesAndExemptionsApply) {
  const std::string most = "parameters: [{maxReplicasPerService: 8}]";
  const PolicyResult warned = evaluate_with_policy(
      "{version: 1, " + most + ", severities: [{rules: policy.*, severity: warn}]}", kNine);
  EXPECT_TRUE(warned.allowed);
  EXPECT_THAT(warned.warnings, ElementsAre(kTooMany));
  const PolicyResult exempt =
      evaluate_with_policy("{version: 1, " + most +
                               ", exemptions: [{rules: policy.replicas, holder: a, reason: b, "
                               "expires: 2026-02-04}]}",
                           kNine);
  EXPECT_TRUE(exempt.allowed);
  EXPECT_EQ(exempt.answer.audit_value, "a");
}

TEST(PolicyParameters, DryRunAppliesParameters) {
  const Policy policy = policy_of(parameters("{maxReplicasPerService: 8, namespaces: team-a}"));
  const json::Document object = test::from_yaml(
      "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, metadata: {name: llama, "
      "namespace: team-a}, spec: {services: {A: {" DYNAMO_UNSCALED_SERVICE ", replicas: 9}}}}");
  const api::Settings settings{};
  const api::ClusterFacts facts{};
  const test::FakeNamespaceLeases leases;
  DryRun dry_run;
  const DryRunResult& result =
      dry_run.run({.resource = *schema::find_resource("DynamoGraphDeployment"),
                   .object = object.root(),
                   .old_object = {}},
                  {settings, facts, leases, kNow, &policy});
  EXPECT_THAT(test::places_of(result.findings), ElementsAre(kTooMany));
}

TEST(PolicyParameterMistakes, MistakesAreReportedWithLocation) {
  EXPECT_THAT(
      mistakes("version: 1\n"
               "parameters:\n"
               "  - allowedRegistries: [nvcr.io/nvidia, nvidia]\n"
               "    maxReplicasPerService: 0\n"
               "    allowedLoraSchemes: [s3, 's3://']\n"
               "    requiredResourceLimits: [memory, gpus]\n"
               "    maxReplicas: 1\n"
               "  - namespaces: team-a\n"
               "  - allowedRegistries: []\n"
               "  - 1\n"),
      ElementsAre(
          HasSubstr("line 3, column 41: allowedRegistries must hold registries such as "
                    "nvcr.io/nvidia or docker.io/library, with their host; found \"nvidia\""),
          HasSubstr(
              "line 4, column 28: maxReplicasPerService must be a whole number of at least 1"),
          HasSubstr(
              "line 5, column 30: allowedLoraSchemes must hold schemes of URIs such as s3, in "
              "lower case and without ://; found \"s3://\""),
          HasSubstr("line 6, column 38: requiredResourceLimits must hold cpu, memory, "
                    "ephemeral-storage, gpu, or names such as nvidia.com/gpu; found \"gpus\""),
          HasSubstr("line 7, column 5: unknown field \"maxReplicas\" in a statement of parameters"),
          HasSubstr("line 8, column 5: must give a parameter"),
          "line 9, column 24: allowedRegistries must be a string or a list of strings",
          HasSubstr("line 10, column 5: a statement of parameters must be an object")));
}

TEST(PolicyParameters, GlobsHoldAllCharactersOfNames) {
  const Policy policy = policy_of(
      "{version: 1, parameters: [{allowedServiceAccounts: ['az09-.*?'], allowedIstioGateways: "
      "['az09/az09'], allowedLoraSchemes: ['az09+-.']}]}");
  EXPECT_EQ(policy.parameters().size(), 1U);
}

TEST(PolicyParameters, LimitAuthorsByListsThatMayBeEmpty) {
  const Policy policy = policy_of(parameters(
      "{allowedServiceAccounts: [], allowedHostPaths: [/mnt//models/, /], allowedHostAccess: ipc, "
      "allowedIngressHosts: ['*.Example.com']}, {allowedServiceAccounts: model-*, namespaces: "
      "team-a}"));
  const auto of = [&](std::string_view space) {
    return policy.parameters_for({api::Kind::kGraphDeployment, space, "llama"});
  };
  EXPECT_THAT(of("team-b").allowed_service_accounts.value(), IsEmpty());
  EXPECT_THAT(of("team-a").allowed_service_accounts.value(), ElementsAre("model-*"));
  EXPECT_THAT(of("team-b").allowed_host_paths.value(), ElementsAre("/mnt/models", "/"));
  EXPECT_THAT(of("team-b").allowed_host_access.value(), ElementsAre("ipc"));
  EXPECT_THAT(of("team-b").allowed_ingress_hosts.value(), ElementsAre("*.example.com"));
  EXPECT_FALSE(of("team-b").allowed_istio_gateways.has_value());
}

TEST(PolicyParameterMistakes, IncludeLimitsThatMatchNothing) {
  EXPECT_THAT(
      mistakes("version: 1\n"
               "parameters:\n"
               "  - allowedServiceAccounts: [Default]\n"
               "    allowedHostPaths: [mnt, /a/../b]\n"
               "    allowedHostAccess: [hostPID]\n"
               "    allowedIngressHosts: ['http://a']\n"
               "    allowedIstioGateways: null\n"),
      ElementsAre(HasSubstr("line 3, column 30: allowedServiceAccounts must hold names of service "
                            "accounts such as default, or globs; found \"Default\""),
                  HasSubstr("line 4, column 24: allowedHostPaths must hold absolute paths"),
                  HasSubstr("line 4, column 29: allowedHostPaths must hold absolute paths"),
                  HasSubstr("line 5, column 25: allowedHostAccess must hold network, pid, ipc or "
                            "privileged; found \"hostPID\""),
                  HasSubstr("line 6, column 27: allowedIngressHosts must hold host names"),
                  "line 7, column 27: allowedIstioGateways must be a string or a list of strings"));
}

TEST(PolicyParameterMistakes, IncludeInvalidNumbers) {
  for (const std::string_view number : {"'8'", "8.5", "-1", "null", "[8]", "9223372036854775808"}) {
    EXPECT_THAT(mistakes(parameters("{maxReplicasPerService: " + std::string(number) + "}")),
                ElementsAre(HasSubstr("must be a whole number of at least 1")))
        << number;
  }
}

TEST(PolicyParameters, AcceptOneReplicaAsLimit) {
  EXPECT_THAT(mistakes(parameters("{maxReplicasPerService: 1}")), IsEmpty());
  EXPECT_THAT(mistakes(parameters("{maxReplicasPerService: 0}")),
              ElementsAre(HasSubstr("must be a whole number of at least 1")));
}

TEST(PolicyParameterMistakes, TooLongListsAreRefused) {
  std::string registries;
  for (int i = 0; i < 257; ++i) registries += "r" + std::to_string(i) + ".io, ";
  EXPECT_THAT(mistakes(parameters("{allowedRegistries: [" + registries + "]}")),
              ElementsAre(HasSubstr("must hold at most 256 texts; found 257")));
  std::string statements;
  for (int i = 0; i < 1001; ++i) statements += "{maxReplicasPerService: 1}, ";
  EXPECT_THAT(mistakes(parameters(statements)),
              ElementsAre(HasSubstr("parameters must hold at most 1000 statements; found 1001")));
}

}  // namespace
}  // namespace dynamo::admission
