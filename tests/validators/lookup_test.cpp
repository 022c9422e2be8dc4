// The messages of the look-up rules, which never do more than warn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "render/document/arena.hpp"
#include "tests/support/findings.hpp"
#include "tests/support/known_objects.hpp"
#include "tests/support/objects.hpp"
#include "validators/rule_groups.hpp"
#include "validators/severities.hpp"
#include "validators/validate.hpp"

namespace dynamo::test {
namespace {

using api::Fact;
using api::Kind;
using testing::ElementsAre;
using testing::IsEmpty;
using validators::Severities;
using validators::Severity;

bool looks_up(std::string_view rule) {
  return std::ranges::find(validators::rule_group("lookup"), rule, &validators::Rule::id) !=
         validators::rule_group("lookup").end();
}

// The findings of those rules on a new object, in a cluster with none or all of its references.
api::ErrorList findings_of(Kind kind, std::string_view spec, Severity severity, Fact there) {
  Severities severities = validators::default_severities();
  for (const validators::Rule& rule : validators::catalog()) {
    severities.set(validators::index_of(rule), looks_up(rule.id) ? severity : Severity::kOff);
  }
  const json::Document object = from_yaml(object_text(kind, spec));
  const KnownObjects objects{{}, there};
  const api::Settings settings;
  const api::ClusterFacts facts;
  const api::Context context{.kind = kind,
                             .namespace_name = "default",
                             .object_name = "example",
                             .user = "jane@example.com",
                             .sub_resource = {},
                             .settings = settings,
                             .facts = facts,
                             .objects = &objects};
  api::ErrorList found;
  render::Arena arena;
  validators::validate(context, object.root(), {}, found, severities, arena);
  return found;
}

std::vector<std::string> texts(Kind kind, std::string_view spec, Fact there = Fact::kNo) {
  const api::ErrorList found = findings_of(kind, spec, Severity::kWarn, there);
  std::vector<std::string> all;
  for (const api::Warning& warning : found.warnings()) all.push_back(warning.detail);
  return all;
}

constexpr std::string_view kGraph =
    "{pvcs: [{name: models}], services: {W: {componentType: worker, envFromSecret: token,"
    "volumeMounts: [{name: cache, mountPoint: /c}], extraPodSpec: {imagePullSecrets: [{name: "
    "pull}],"
    "volumes: [{name: v, configMap: {name: settings}}]}}}}";
constexpr std::string_view kAdapter = "{dgdRef: {name: chat, serviceName: W}}";
constexpr std::string_view kRequest =
    "{model: m, backend: vllm, autoApply: true, deploymentOverrides: {name: chat}, "
    "profilingConfig: "
    "{profilerImage: i, outputPVC: out, configMapRef: {name: base}, config: {deployment: "
    "{modelCache: {pvcName: cache}}}}}";

TEST(LookUps, GraphGetsWarningsForMissingObjects) {
  EXPECT_THAT(
      texts(Kind::kGraphDeployment, kGraph),
      ElementsAre("must name a claim that exists where create is not true, or the whole graph "
                  "stops; found no PersistentVolumeClaim \"models\" in namespace \"default\"; "
                  "create it or set create, unless it is still to come",
                  "must name a Secret that exists, or the container waits for it; found no Secret "
                  "\"token\" in namespace \"default\"; create it, unless it is still to come",
                  "must name a Secret that exists, or images are pulled without it; found no "
                  "Secret \"pull\" in namespace \"default\"; create it, unless it is still to come",
                  "must name a ConfigMap that exists, or the pod waits for it; found no ConfigMap "
                  "\"settings\" in namespace \"default\"; create it, unless it is still to come",
                  "must name a claim that exists, or the pods wait for it; found no "
                  "PersistentVolumeClaim \"cache\" in namespace \"default\"; create it, unless it "
                  "is still to come"));
}

TEST(LookUps, AdapterWithoutGraphGetsWarning) {
  EXPECT_THAT(texts(Kind::kScalingAdapter, kAdapter),
              ElementsAre("must name a graph that exists, or nothing is scaled; found no "
                          "DynamoGraphDeployment \"chat\" in namespace \"default\"; create it or "
                          "correct the name, unless it is still to come"));
}

TEST(LookUps, RequestGetsWarningsForMissingObjects) {
  EXPECT_THAT(
      texts(Kind::kGraphDeploymentRequest, kRequest),
      ElementsAre(
          "must find the Secret from which its job reads HF_TOKEN, or the job waits for it; found "
          "no Secret \"hf-token-secret\" in namespace \"default\"; create it, unless it is still "
          "to come",
          "must name a claim that exists, or the request fails for good; found no "
          "PersistentVolumeClaim \"cache\" in namespace \"default\"; create it before the request",
          "must name a ConfigMap that exists, or the request fails for good; found no ConfigMap "
          "\"base\" in namespace \"default\"; create it before the request",
          "must name a claim that exists, or the profiling job waits for it; found no "
          "PersistentVolumeClaim \"out\" in namespace \"default\"; create it, unless it is still "
          "to come"));
}

TEST(LookUps, RequestForExistingGraphGetsWarning) {
  EXPECT_THAT(
      texts(Kind::kGraphDeploymentRequest, kRequest, Fact::kYes),
      ElementsAre("must be a name that no graph has; found DynamoGraphDeployment "
                  "\"chat\" in namespace \"default\", which is taken as it stands, and "
                  "what profiling finds is never applied; choose another name, or delete it"));
}

TEST(LookUps, ExistingObjectsGetNoWarnings) {
  EXPECT_THAT(texts(Kind::kGraphDeployment, kGraph, Fact::kYes), IsEmpty());
  EXPECT_THAT(texts(Kind::kScalingAdapter, kAdapter, Fact::kYes), IsEmpty());
}

TEST(LookUps, UnknownObjectsGetNoWarnings) {
  EXPECT_THAT(texts(Kind::kGraphDeployment, kGraph, Fact::kUnknown), IsEmpty());
  EXPECT_THAT(texts(Kind::kScalingAdapter, kAdapter, Fact::kUnknown), IsEmpty());
  EXPECT_THAT(texts(Kind::kGraphDeploymentRequest, kRequest, Fact::kUnknown), IsEmpty());
}

TEST(LookUps, PolicyCannotMakeThemDeny) {
  const std::pair<Kind, std::string_view> objects[] = {{Kind::kGraphDeployment, kGraph},
                                                       {Kind::kScalingAdapter, kAdapter},
                                                       {Kind::kGraphDeploymentRequest, kRequest}};
  for (const auto& [kind, spec] : objects) {
    for (const Fact there : {Fact::kNo, Fact::kYes}) {
      const api::ErrorList denying = findings_of(kind, spec, Severity::kDeny, there);
      EXPECT_THAT(denying.errors(), IsEmpty());
      EXPECT_EQ(warnings_of(denying), warnings_of(findings_of(kind, spec, Severity::kWarn, there)));
    }
  }
}

TEST(LookUps, PolicyCanDisableThem) {
  EXPECT_TRUE(findings_of(Kind::kGraphDeployment, kGraph, Severity::kOff, Fact::kNo).empty());
  EXPECT_TRUE(findings_of(Kind::kScalingAdapter, kAdapter, Severity::kOff, Fact::kNo).empty());
}

// The API server cuts longer ones.
TEST(LookUps, ShortNamesFitIn256Characters) {
  constexpr std::size_t kLongest = 256;
  const std::pair<Kind, std::string_view> objects[] = {{Kind::kGraphDeployment, kGraph},
                                                       {Kind::kScalingAdapter, kAdapter},
                                                       {Kind::kGraphDeploymentRequest, kRequest}};
  for (const auto& [kind, spec] : objects) {
    for (const Fact there : {Fact::kNo, Fact::kYes}) {
      const api::ErrorList found = findings_of(kind, spec, Severity::kWarn, there);
      for (const api::Warning& warning : found.warnings()) {
        EXPECT_LE(warning.message().size(), kLongest) << warning.message();
      }
    }
  }
}

TEST(LookUps, CatalogSeverityIsWarn) {
  for (const validators::Rule& rule : validators::rule_group("lookup")) {
    EXPECT_EQ(rule.severity, Severity::kWarn) << rule.id;
  }
}

}  // namespace
}  // namespace dynamo::test
