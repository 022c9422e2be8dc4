// The doctor's findings about the objects that the configurations send, or do not send.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "json/writer.hpp"
#include "tests/doctor/installation.hpp"

namespace dynamo::doctor {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

// The findings of one check, one line each.
std::vector<std::string> findings_of(const Evidence& evidence, std::string_view check) {
  std::vector<std::string> lines;
  for (const CheckFinding& each : examine(evidence)) {
    if (each.check != check) continue;
    lines.push_back(std::string(to_string(each.level)) + ": " + each.subject + ": " + each.text);
  }
  return lines;
}

constexpr const char* kAllSent = "ok: rules: every kind is sent on create and update";
constexpr const char* kNever = R"("namespaceSelector":{"matchLabels":{"never":"there"}})";

class DoctorRules : public testing::Test {
 protected:
  // Adds a member to the webhook of models.
  void add_to_models(const std::string& member) {
    installation_.put_configurations(R"("name":"v.dynamomodels")",
                                     R"("name":"v.dynamomodels",)" + member);
  }
  void add_to_all(const std::string& member) {
    installation_.put_configurations(R"("sideEffects")", member + R"(,"sideEffects")");
  }
  // Replaces the rules of the webhook of models.
  void set_of_models(const std::string& from, const std::string& to) {
    constexpr std::string_view kRest = R"("operations":["CREATE","UPDATE"],"resources":)";
    const std::string rule = R"({"apiGroups":["nvidia.com"],"apiVersions":["v1alpha1"],)" +
                             std::string(kRest) + R"(["dynamomodels"]})";
    std::string other = rule;
    Installation::put_in(other, from, to);
    installation_.put_configurations(rule, other);
  }
  std::vector<std::string> findings_of(std::string_view check) {
    return doctor::findings_of(installation_.gather_evidence().value(), check);
  }

  Installation installation_;
};

TEST_F(DoctorRules, ClusterScopeNeverMatchesOurKinds) {
  set_of_models(R"("resources")", R"("scope":"Cluster","resources")");
  EXPECT_THAT(findings_of("configuration.rules"),
              ElementsAre(AllOf(StartsWith("warning: DynamoModel: CREATE and UPDATE must be sent"),
                                HasSubstr("no webhook does: it is not validated"))));
  for (const char* const scope : {"Namespaced", "*"}) {
    set_of_models(R"("resources")", R"("scope":")" + std::string(scope) + R"(","resources")");
    EXPECT_THAT(findings_of("configuration.rules"), ElementsAre(kAllSent)) << scope;
  }
}

TEST_F(DoctorRules, SubresourceRulesDoNotCoverTheKind) {
  for (const char* const other : {"dynamomodels/status", "*/status", "dynamomodels/scale"}) {
    set_of_models(R"(["dynamomodels"])", R"([")" + std::string(other) + R"("])");
    EXPECT_THAT(findings_of("configuration.rules"), ElementsAre(HasSubstr("no webhook does")))
        << other;
  }
  for (const char* const covering : {"*", "*/*", "dynamomodels/*"}) {
    set_of_models(R"(["dynamomodels"])", R"([")" + std::string(covering) + R"("])");
    EXPECT_THAT(findings_of("configuration.rules"), ElementsAre(kAllSent)) << covering;
  }
}

TEST_F(DoctorRules, WildcardsCoverOurKinds) {
  for (const char* const name : {"nvidia.com", "v1alpha1"}) {
    set_of_models(R"([")" + std::string(name) + R"("])", R"(["*"])");
    EXPECT_THAT(findings_of("configuration.rules"), ElementsAre(kAllSent)) << name;
  }
  set_of_models(R"("CREATE","UPDATE")", R"("*")");
  EXPECT_THAT(findings_of("configuration.rules"), ElementsAre(kAllSent));
}

struct Condition {
  const char* name;
  const char* member;
  const char* text;
};

void PrintTo(const Condition& condition, std::ostream* out) {
  *out << condition.name;
}

class DoctorConditions : public DoctorRules, public testing::WithParamInterface<Condition> {};

TEST_P(DoctorConditions, AreReportedWhenTheyRestrictAKind) {
  add_to_models(GetParam().member);
  EXPECT_THAT(
      findings_of("configuration.rules"),
      ElementsAre(AllOf(StartsWith("warning: DynamoModel: CREATE and UPDATE must be sent"),
                        HasSubstr("webhook v.dynamomodels is sent only what"),
                        HasSubstr(GetParam().text), HasSubstr("the rest is not validated"))));
}

constexpr const char* kTerminatingOrNothing =
    R"x("matchConditions":[{"name":"a","expression":"oldObject == null || !has(oldObject.metadata.deletionTimestamp)"},{"name":"no","expression":"false"}])x";
constexpr const char* kHarmless =
    R"x("objectSelector":{"matchLabels":{},"matchExpressions":[]},"matchConditions":[{"name":"a","expression":"oldObject == null || !has(oldObject.metadata.deletionTimestamp)"}],"namespaceSelector":{})x";

INSTANTIATE_TEST_SUITE_P(
    , DoctorConditions,
    testing::Values(
        Condition{"ObjectLabels", R"("objectSelector":{"matchLabels":{"never":"there"}})",
                  "its objectSelector lets through"},
        Condition{"ObjectExpressions",
                  R"("objectSelector":{"matchExpressions":[{"key":"a","operator":"Exists"}]})",
                  "its objectSelector lets through"},
        Condition{"MatchConditions", R"("matchConditions":[{"name":"no","expression":"false"}])",
                  "its matchConditions let through"},
        Condition{"MatchConditionsBesideTerminating", kTerminatingOrNothing,
                  "its matchConditions let through"},
        Condition{"Namespace", kNever,
                  "its namespaceSelector, which excludes namespace default, lets through"},
        Condition{"Two",
                  R"("objectSelector":{"matchLabels":{"a":"b"}},)"
                  R"("matchConditions":[{"name":"no","expression":"false"}])",
                  "its objectSelector and its matchConditions let through"}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST_F(DoctorRules, EmptyConditionsAreComplete) {
  add_to_models(kHarmless);
  EXPECT_THAT(findings_of("configuration.rules"), ElementsAre(kAllSent));
}

TEST_F(DoctorRules, SelectedDryRunNamespaceIsComplete) {
  add_to_all(R"("namespaceSelector":{"matchExpressions":[)"
             R"({"key":"kubernetes.io/metadata.name","operator":"NotIn","values":["team-a"]}]})");
  EXPECT_THAT(findings_of("configuration.rules"), ElementsAre(kAllSent));
}

TEST_F(DoctorRules, RestrictedServerSelectingItsNamespaceIsComplete) {
  installation_.restricted_namespace = "team-a";
  installation_.cluster.put(
      kube::kNamespaces,
      R"({"metadata":{"name":"team-a","labels":{"kubernetes.io/metadata.name":"team-a"}}})");
  add_to_all(R"("namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"team-a"}})");
  EXPECT_THAT(findings_of("configuration.rules"), ElementsAre(kAllSent));
  add_to_all(R"("namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"team-b"}})");
  EXPECT_THAT(findings_of("configuration.rules"),
              AllOf(SizeIs(admission::routes().size()), testing::Each(StartsWith("warning: "))));
}

// Such as those of a restricted server that the doctor does not know of.
TEST_F(DoctorRules, UnselectedDefaultNamespaceIsSkipped) {
  add_to_all(kNever);
  EXPECT_THAT(findings_of("configuration.rules"),
              ElementsAre(AllOf(StartsWith("skipped: "), HasSubstr("exclude namespace default"))));
  GatherOptions options = installation_.options();
  options.dry_run_namespace = "default";
  EXPECT_THAT(
      doctor::findings_of(installation_.gather_evidence(options).value(), "configuration.rules"),
      AllOf(SizeIs(admission::routes().size()), testing::Each(StartsWith("warning: "))));
}

TEST_F(DoctorRules, UnknownNamespaceLabelsAreSkipped) {
  installation_.cluster.forbid("get", "namespaces");
  EXPECT_THAT(findings_of("configuration.rules"), ElementsAre(kAllSent)) << "none has a selector";
  add_to_models(kNever);
  EXPECT_THAT(findings_of("configuration.rules"),
              ElementsAre(AllOf(StartsWith("skipped: "), HasSubstr("Forbidden"))));
}

TEST_F(DoctorRules, MissingNamespaceIsSkipped) {
  add_to_models(kNever);
  GatherOptions options = installation_.options();
  options.dry_run_namespace = "nowhere";
  EXPECT_THAT(
      doctor::findings_of(installation_.gather_evidence(options).value(), "configuration.rules"),
      ElementsAre(AllOf(StartsWith("skipped: "), HasSubstr("there is no namespace nowhere"))));
}

// --- Both versions

TEST_F(DoctorRules, RegistrationsOfBothVersionsAreComplete) {
  using enum Installation::Generation;
  installation_.put_definitions();
  for (const auto generation : {kLater, kUnknown}) {
    installation_.generation = generation;
    installation_.put_configurations();
    EXPECT_THAT(findings_of("configuration.rules"), ElementsAre(kAllSent));
    EXPECT_THAT(findings_of("configuration.once"), ElementsAre("ok: rules: no kind is sent twice"));
    EXPECT_THAT(findings_of("configuration.narrow"), ElementsAre(StartsWith("ok: ")));
    EXPECT_THAT(findings_of("configuration.protocol"), ElementsAre(StartsWith("ok: ")));
  }
}

TEST_F(DoctorRules, FirstRegistrationsLackDefaultsOfV1beta1) {
  installation_.put_definitions();
  EXPECT_THAT(findings_of("configuration.rules"),
              ElementsAre(HasSubstr("sent to /mutate-nvidia-com-v1beta1-dynamocomponentdeployment"),
                          HasSubstr("to /mutate-nvidia-com-v1beta1-dynamographdeploymentrequest")));
}

// The API server knows no equivalents in a version that it does not serve.
TEST_F(DoctorRules, LaterRegistrationsMissFirstDefinitions) {
  installation_.generation = Installation::Generation::kLater;
  installation_.put_configurations();
  EXPECT_THAT(findings_of("configuration.rules"),
              AllOf(SizeIs(4), testing::Each(AllOf(StartsWith("warning: "),
                                                   HasSubstr("no webhook does: it is not ")))));
  installation_.generation = Installation::Generation::kUnknown;
  installation_.put_configurations();
  EXPECT_THAT(findings_of("configuration.rules"), ElementsAre(kAllSent));
}

TEST_F(DoctorRules, ExactWithoutTheOtherVersionIsAWarning) {
  installation_.generation = Installation::Generation::kLater;
  installation_.put_definitions();
  installation_.put_configurations(R"("matchPolicy":"Equivalent")", R"("matchPolicy":"Exact")");
  EXPECT_THAT(findings_of("configuration.protocol"),
              AllOf(testing::Contains(HasSubstr("webhook v.dynamographdeployments: matchPolicy")),
                    testing::Contains(HasSubstr("v.dynamomodels: matchPolicy"))));
}

TEST_F(DoctorRules, WebhooksOfLaterOperatorAreNotSuperfluous) {
  installation_.generation = Installation::Generation::kLater;
  installation_.put_definitions();
  installation_.put_configurations();
  std::string other = json::to_text(
      installation_.cluster.find(kube::kValidatingWebhookConfigurations, "", "dynamo")->root());
  Installation::put_in(other, R"("name":"dynamo")", R"("name":"operator")");
  Installation::put_in(other, R"("name":"webhook")", R"("name":"operator-webhook")");
  installation_.cluster.put(kube::kValidatingWebhookConfigurations, other);
  EXPECT_THAT(
      findings_of("configuration.once"),
      testing::Contains(AllOf(StartsWith("skipped: "), HasSubstr("the Dynamo operator's"))));
}

// --- Overlapping webhooks

TEST_F(DoctorRules, OverlapIsFoundForEachOperation) {
  for (const char* const operation : {"CREATE", "UPDATE"}) {
    installation_.put_configurations();
    const auto list =
        installation_.cluster.find(kube::kValidatingWebhookConfigurations, "", "dynamo");
    std::string copy = R"({"metadata":{"name":"other"},"webhooks":)";
    copy += json::to_text(list->root()["webhooks"]) + "}";
    Installation::put_in(copy, R"("CREATE","UPDATE")", '"' + std::string(operation) + '"');
    installation_.cluster.put(kube::kValidatingWebhookConfigurations, copy);
    const auto lines = findings_of("configuration.once");
    EXPECT_THAT(lines, Not(testing::IsEmpty())) << operation;
    EXPECT_THAT(lines, testing::Each(AllOf(StartsWith("warning: "), HasSubstr(operation),
                                           HasSubstr("is sent it as well"))));
    installation_.cluster.erase(kube::kValidatingWebhookConfigurations, "", "other");
  }
}

TEST_F(DoctorRules, OverlapIsReportedOnceForBothOperations) {
  const auto list =
      installation_.cluster.find(kube::kValidatingWebhookConfigurations, "", "dynamo");
  installation_.cluster.put(kube::kValidatingWebhookConfigurations,
                            R"({"metadata":{"name":"other"},"webhooks":)" +
                                json::to_text(list->root()["webhooks"]) + "}");
  EXPECT_THAT(findings_of("configuration.once"),
              AllOf(SizeIs(list->root()["webhooks"].size()),
                    testing::Each(HasSubstr("CREATE and UPDATE of "))));
}

// A restricted server next to a cluster-wide one whose selector excludes its namespace.
TEST_F(DoctorRules, DisjointSelectorsDoNotOverlap) {
  const auto put_both = [&](std::string_view word) {
    add_to_all(R"("namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"team-a"}})");
    std::string other = json::to_text(
        installation_.cluster.find(kube::kValidatingWebhookConfigurations, "", "dynamo")->root());
    Installation::put_in(other, R"("name":"dynamo")", R"("name":"restricted")");
    installation_.cluster.put(kube::kValidatingWebhookConfigurations, other);
    add_to_all(R"("namespaceSelector":{"matchExpressions":[{"key":"kubernetes.io/metadata.name",)"
               R"("operator":")" +
               std::string(word) + R"(","values":["team-a"]}]})");
  };
  put_both("NotIn");
  EXPECT_THAT(findings_of("configuration.once"), ElementsAre("ok: rules: no kind is sent twice"));
  installation_.cluster.erase(kube::kValidatingWebhookConfigurations, "", "restricted");
  put_both("In");
  EXPECT_THAT(findings_of("configuration.once"), testing::Each(StartsWith("warning: ")));
}

TEST_F(DoctorRules, OverlapIsFoundAmongDisjointWebhooks) {
  const auto put = [&](const std::string& name, std::string_view namespace_name) {
    add_to_all(R"("namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":")" +
               std::string(namespace_name) + "\"}}");
    std::string other = json::to_text(
        installation_.cluster.find(kube::kMutatingWebhookConfigurations, "", "dynamo")->root());
    Installation::put_in(other, R"("name":"dynamo")", R"("name":")" + name + '"');
    installation_.cluster.put(kube::kMutatingWebhookConfigurations, other);
  };
  put("second", "team-b");
  put("third", "team-b");
  add_to_all(R"("namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"team-a"}})");
  EXPECT_THAT(findings_of("configuration.once"),
              testing::Each(AllOf(HasSubstr("/second webhook"), HasSubstr("/third webhook"))));
}

// --- Rules that match too much

TEST_F(DoctorRules, AllResourcesOfOurGroupAreAWarning) {
  for (const char* const all : {"*", "*/*"}) {
    set_of_models(R"(["dynamomodels"])", R"([")" + std::string(all) + R"("])");
    EXPECT_THAT(findings_of("configuration.narrow"),
                ElementsAre(AllOf(StartsWith("warning: "), HasSubstr("v.dynamomodels"),
                                  HasSubstr("found *: the other resources of nvidia.com"))))
        << all;
  }
}

TEST_F(DoctorRules, AllResourcesOfAnotherGroupFail) {
  constexpr const char* kOurs = R"("apiVersions":["v1alpha1"],"operations":["CREATE","UPDATE"],)"
                                R"("resources":["dynamomodels"])";
  constexpr const char* kAll = R"("apiVersions":["v1alpha1"],"operations":["CREATE","UPDATE"],)"
                               R"("resources":["*"])";
  for (const char* const groups : {R"(["nvidia.com","apps"])", R"(["apps"])", R"(["*"])"}) {
    installation_.put_configurations(
        R"("apiGroups":["nvidia.com"],)" + std::string(kOurs),
        R"("apiGroups":)" + std::string(groups) + ',' + std::string(kAll));
    EXPECT_THAT(findings_of("configuration.narrow"),
                ElementsAre(AllOf(StartsWith("failed: "), HasSubstr("v.dynamomodels"),
                                  HasSubstr("an outage of the webhook stops"))))
        << groups;
  }
}

TEST_F(DoctorRules, OtherVersionsAreWarnings) {
  for (const char* const versions : {R"("*")", R"("v1alpha1","v1beta1")"}) {
    set_of_models(R"("v1alpha1")", versions);
    EXPECT_THAT(findings_of("configuration.narrow"),
                ElementsAre(AllOf(StartsWith("warning: "), HasSubstr("v.dynamomodels"),
                                  HasSubstr("another version"))))
        << versions;
  }
}

}  // namespace
}  // namespace dynamo::doctor
