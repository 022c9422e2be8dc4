// Offline validation of an object: schema, defaults and rules with one result.
#include "admission/dry_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conversion/convert.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "tests/support/findings.hpp"
#include "tests/support/objects.hpp"
#include "tests/support/review_fixture.hpp"

namespace dynamo::admission {
namespace {

using test::Place;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view kGraph =
    "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, metadata: {name: llama}, "
    "spec: ";

struct RequestInputs {
  std::string kind = "DynamoGraphDeployment";
  std::string object = {};
  std::string json = {};  // used instead, for text that YAML refuses
  std::string old_object = {};
  std::optional<std::string_view> user = std::nullopt;
  std::string restricted_namespace = {};
  api::OperatorGeneration generation = api::OperatorGeneration::kUnknown;
  bool strict = true;
  api::Version version = api::Version::kV1alpha1;
  api::Fact grove = api::Fact::kUnknown;
  bool already_stored = false;
  std::string policy = {};
};

class DryRunTest : public testing::Test {
 protected:
  const DryRunResult& run(const RequestInputs& given) {
    if (given.json.empty()) {
      object_ = test::from_yaml(given.object);
    } else {
      text_ = json::parse_copy(given.json);
    }
    old_ = given.old_object.empty() ? json::Document{} : test::from_yaml(given.old_object);
    const api::Settings settings{.operator_version = "1.2.3",
                                 .operator_service_account = {},
                                 .restricted_namespace = given.restricted_namespace};
    const api::ClusterFacts facts{.inference_pool_served = api::Fact::kYes,
                                  .grove_served = given.grove,
                                  .operator_generation = given.generation};
    const std::optional<Policy> policy =
        given.policy.empty() ? std::nullopt : read_policy(given.policy).policy;
    EvaluationInputs inputs{settings, facts, leases_,
                            std::chrono::system_clock::from_time_t(1'770'091'506)};
    if (policy) inputs.policy = &*policy;
    const bool is_alpha = given.version == api::Version::kV1alpha1;
    const schema::Resource& resource =
        is_alpha ? *schema::find_resource(given.kind)
                 : *schema::find_resource(given.kind, conversion::api_version(given.version),
                                          given.generation);
    return dry_run_.run({.resource = resource,
                         .object = given.json.empty() ? object_.root() : text_->root(),
                         .old_object = old_.root(),
                         .user = given.user,
                         .already_stored = given.already_stored,
                         .strict = given.strict},
                        inputs);
  }

  static std::string graph(std::string_view spec) {
    return std::string(kGraph) + std::string(spec) + "}";
  }

 private:
  json::Document object_;
  std::unique_ptr<json::ParsedText> text_;
  json::Document old_;
  test::FakeNamespaceLeases leases_;
  DryRun dry_run_;
};

TEST_F(DryRunTest, ValidObjectIsAllowedAndReturnedAsStored) {
  const DryRunResult& result =
      run({.object = graph("{services: {A: {" DYNAMO_GOOD_SERVICE ", multinode: {}}}}")});
  EXPECT_TRUE(result.is_allowed());
  EXPECT_TRUE(result.findings.empty());
  const json::Value service = result.stored["spec"]["services"]["A"];
  EXPECT_EQ(service["multinode"]["nodeCount"].integer(), 2);
  EXPECT_EQ(result.stored["metadata"]["annotations"]["nvidia.com/dynamo-operator-origin-version"]
                .string(),
            "1.2.3");
}

TEST_F(DryRunTest, SchemaAndRuleFindingsAreCombined) {
  const DryRunResult& result =
      run({.object = graph("{backendFramework: none, servces: {}, services: {A: "
                           "{" DYNAMO_GOOD_SERVICE ", ingress: {enabled: true}}}}")});
  EXPECT_FALSE(result.is_allowed());
  EXPECT_THAT(test::places_of(result.findings),
              ElementsAre(Place{"spec.backendFramework", "schema.enum"},
                          Place{"spec.servces", "schema.unknown-field"},
                          Place{"spec.services[A].ingress.host", "service.ingress.host"}));
}

TEST_F(DryRunTest, SchemaErrorHidesRuleErrorOnSameField) {
  const DryRunResult& result =
      run({.object = graph("{services: {A: {" DYNAMO_UNSCALED_SERVICE ", replicas: -1}}}")});
  EXPECT_THAT(test::places_of(result.findings),
              ElementsAre(Place{"spec.services[A].replicas", "schema.minimum"}));
}

TEST_F(DryRunTest, SchemaDefaultsPrecedeRules) {
  const std::string model =
      "{apiVersion: nvidia.com/v1alpha1, kind: DynamoModel, metadata: {name: m}, spec: "
      "{modelName: a, baseModelName: b}}";
  const std::string old =
      "{apiVersion: nvidia.com/v1alpha1, kind: DynamoModel, metadata: {name: m}, spec: "
      "{modelName: a, baseModelName: b, modelType: base}}";
  EXPECT_TRUE(run({.kind = "DynamoModel", .object = model, .old_object = old}).is_allowed());
}

TEST_F(DryRunTest, UpdateIsComparedWithOldObject) {
  const DryRunResult& result = run(
      {.object = graph("{backendFramework: vllm, services: {A: {componentType: worker}}}"),
       .old_object = graph("{backendFramework: sglang, services: {A: {componentType: worker}}}")});
  EXPECT_THAT(test::places_of(result.findings),
              testing::Contains(Place{"spec.backendFramework", "dgd.backend.immutable"}));
}

TEST_F(DryRunTest, ScalingPermissionDependsOnUser) {
  const auto allowed = [&](std::optional<std::string_view> user) {
    return run({.object = graph("{services: {A: {componentType: worker, replicas: 2, "
                                "scalingAdapter: {enabled: true}}}}"),
                .old_object = graph("{services: {A: {componentType: worker, replicas: 1, "
                                    "scalingAdapter: {enabled: true}}}}"),
                .user = user})
        .is_allowed();
  };
  EXPECT_FALSE(allowed(std::nullopt));
  EXPECT_FALSE(allowed("jane"));
  EXPECT_TRUE(allowed("system:serviceaccount:x:y-dynamo-operator-controller-manager"));
}

TEST_F(DryRunTest, StatusIsTakenFromOldObject) {
  const std::string object =
      "{apiVersion: nvidia.com/v1alpha1, kind: DynamoModel, metadata: "
      "{name: m}, spec: {modelName: a, baseModelName: b}, status: {x: 1, "
      "readyEndpoints: many}}";
  const DryRunResult& result = run({.kind = "DynamoModel", .object = object});
  EXPECT_THAT(test::places_of(result.findings),
              ElementsAre(Place{"status.x", "schema.unknown-field"}));
  EXPECT_FALSE(result.stored["status"].exists());
}

TEST_F(DryRunTest, DeletingObjectWithUnchangedSpecIsExempt) {
  const std::string old =
      "{apiVersion: nvidia.com/v1alpha1, kind: DynamoModel, metadata: {name: m, deletionTimestamp: "
      "'2026-01-01T00:00:00Z'}, spec: {modelName: a, baseModelName: b, modelType: lora}}";
  const std::string object =
      "{apiVersion: nvidia.com/v1alpha1, kind: DynamoModel, metadata: "
      "{name: m}, spec: {modelName: a, baseModelName: b, modelType: lora}}";
  const DryRunResult& result = run({.kind = "DynamoModel", .object = object, .old_object = old});
  EXPECT_TRUE(result.is_allowed());
  EXPECT_EQ(result.exemption, Exemption::kTerminating);

  // For the same reason that the server would give.
  const DryRunResult& elsewhere = run({.kind = "DynamoModel",
                                       .object = object,
                                       .old_object = old,
                                       .restricted_namespace = "other"});
  EXPECT_EQ(elsewhere.exemption, Exemption::kOtherNamespace);
}

TEST_F(DryRunTest, SchemaIsCheckedForExemptObjects) {
  const DryRunResult& result =
      run({.object = graph("{services: {}, nope: 1}"), .restricted_namespace = "other"});
  EXPECT_EQ(result.exemption, Exemption::kOtherNamespace);
  EXPECT_THAT(test::places_of(result.findings),
              ElementsAre(Place{"spec.nope", "schema.unknown-field"}));
}

TEST_F(DryRunTest, KindsWithoutRulesGetSchemaOnly) {
  const std::string object =
      "{apiVersion: nvidia.com/v1alpha1, kind: DynamoWorkerMetadata, metadata: {name: w}, spec: ";
  EXPECT_TRUE(
      run({.kind = "DynamoWorkerMetadata", .object = object + "{data: {any: [1]}}}"}).is_allowed());
  EXPECT_THAT(
      test::places_of(run({.kind = "DynamoWorkerMetadata", .object = object + "{}}"}).findings),
      ElementsAre(Place{"spec.data", "schema.required"}));
}

std::string twice_and_unknown(int unknown_fields) {
  std::string fields;
  for (int i = 0; i < unknown_fields; ++i) fields += "\"new" + std::to_string(i) + "\": 1, ";
  return R"({"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoModel", "metadata": )"
         R"({"name": "m"}, "spec": {)" +
         fields + R"("modelName": "a", "modelName": "a", "baseModelName": "b"}})";
}

TEST_F(DryRunTest, UnknownFieldOnlyWarnsForLaterOperator) {
  const DryRunResult& result =
      run({.object = graph("{nope: 1, services: {A: {componentType: frontend, extraPodSpec: "
                           "{mainContainer: {image: 'a:1.5.0'}}, runtimeVersionOverride: 1.5.0, "
                           "replicsa: 1}}}"),
           .generation = api::OperatorGeneration::kLater});
  EXPECT_TRUE(result.is_allowed());
  EXPECT_THAT(
      test::warnings_of(result.findings),
      ElementsAre(Place{"spec.nope", "schema.unknown-field"},
                  Place{"spec.services[A].replicsa", "schema.unknown-field"},
                  Place{"spec.services[A].runtimeVersionOverride", "schema.unknown-field"}));
  EXPECT_THAT(result.findings.warnings()[1].detail, HasSubstr("did you mean \"replicas\"?"));
  EXPECT_THAT(result.findings.warnings()[2].detail, HasSubstr("only a later API may know"));
  for (const auto generation :
       {api::OperatorGeneration::kFirst, api::OperatorGeneration::kUnknown}) {
    EXPECT_FALSE(
        run({.object = graph("{nope: 1, services: {}}"), .generation = generation}).is_allowed());
  }
}

TEST_F(DryRunTest, UnknownAndDuplicateFieldsAreDeniedIfStrict) {
  const std::vector<Place> places{{"spec.modelName", "schema.duplicate-field"},
                                  {"spec.new0", "schema.unknown-field"}};
  const RequestInputs strict{.kind = "DynamoModel", .json = twice_and_unknown(1)};
  EXPECT_EQ(test::places_of(run(strict).findings), places);
  RequestInputs lenient = strict;
  lenient.strict = false;
  EXPECT_TRUE(run(lenient).is_allowed());
  EXPECT_EQ(test::warnings_of(run(lenient).findings), places);
  EXPECT_FALSE(run(lenient).stored["spec"]["new0"].exists());
}

TEST_F(DryRunTest, ManyUnknownFieldsHideNoErrors) {
  std::string text = twice_and_unknown(150);
  text.replace(text.find("\"baseModelName\": \"b\""), 20, "\"baseModelName\": 7");
  EXPECT_FALSE(run({.kind = "DynamoModel", .json = text, .strict = false}).is_allowed());
}

TEST_F(DryRunTest, NewerFieldWarnsForUnknownOperator) {
  const std::string object =
      graph("{services: {A: {" DYNAMO_GOOD_SERVICE ", minAvailable: 1, replicsa: 1}}}");
  const DryRunResult& unknown = run({.object = object});
  EXPECT_THAT(test::places_of(unknown.findings),
              ElementsAre(Place{"spec.services[A].replicsa", "schema.unknown-field"}));
  EXPECT_THAT(test::warnings_of(unknown.findings),
              testing::Contains(Place{"spec.services[A].minAvailable", "schema.unknown-field"}));
  EXPECT_THAT(test::places_of(
                  run({.object = object, .generation = api::OperatorGeneration::kFirst}).findings),
              ElementsAre(Place{"spec.services[A].minAvailable", "schema.unknown-field"},
                          Place{"spec.services[A].replicsa", "schema.unknown-field"}));
}

constexpr std::string_view kBetaPods =
    "podTemplate: {spec: {containers: [{name: main, image: 'a:1.5.0'}]}}";

// A component with an empty name in its spec, as Go clients write it.
RequestInputs unnamed_component(std::string_view name) {
  return {.kind = "DynamoComponentDeployment",
          .object =
              "{apiVersion: nvidia.com/v1beta1, kind: DynamoComponentDeployment, metadata: "
              "{name: " +
              std::string(name) + "}, spec: {name: '', type: worker, replicas: 1, " +
              std::string(kBetaPods) + "}}",
          .version = api::Version::kV1beta1};
}

TEST_F(DryRunTest, SchemaIsCheckedAfterDefaults) {
  EXPECT_THAT(test::places_of(run(unnamed_component("d")).findings), IsEmpty());
  EXPECT_THAT(test::places_of(run(unnamed_component("d.e")).findings),
              testing::Contains(Place{"spec.name", "schema.pattern"}));
}

TEST_F(DryRunTest, ErrorAboveTheLimitIsCounted) {
  std::string variables;
  for (std::size_t i = 0; i < api::kMaxErrors; ++i) variables += "1,";
  RequestInputs given = unnamed_component("d.e");
  given.object.insert(given.object.find("image:"), "env: [" + variables + "], ");
  const api::ErrorList& findings = run(given).findings;
  EXPECT_EQ(findings.errors().size(), api::kMaxErrors);
  EXPECT_EQ(findings.omitted_errors(), 1U);
}

TEST_F(DryRunTest, DefaultsHideNoErrorInMetadata) {
  EXPECT_THAT(test::places_of(run(unnamed_component("d, generation: x")).findings),
              ElementsAre(Place{"metadata.generation", "schema.type"}));
}

std::string beta_graph(std::string_view annotation, std::string_view more_of_component) {
  std::string text =
      "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: g, "
      "annotations: {" +
      std::string(annotation) + "}}, spec: {components: [{name: A, type: worker, replicas: 1, ";
  return text.append(kBetaPods).append(more_of_component).append("}]}}");
}

TEST_F(DryRunTest, OmittedMinAvailableIsDefaultedOnUpdate) {
  const std::string provider = "nvidia.com/workload-provider: grove";
  const DryRunResult& result = run({.object = beta_graph(provider, ""),
                                    .old_object = beta_graph(provider, ", minAvailable: 1"),
                                    .version = api::Version::kV1beta1});
  EXPECT_THAT(test::places_of(result.findings), IsEmpty());
  const DryRunResult& changed = run({.object = beta_graph(provider, ""),
                                     .old_object = beta_graph(provider, ", minAvailable: 2"),
                                     .version = api::Version::kV1beta1});
  EXPECT_FALSE(changed.is_allowed());
}

TEST_F(DryRunTest, StoredObjectGetsNoDefaultsOfCreation) {
  const RequestInputs stored{.object = graph("{services: {A: {" DYNAMO_UNSCALED_SERVICE "}}}"),
                             .generation = api::OperatorGeneration::kLater,
                             .grove = api::Fact::kYes,
                             .already_stored = true};
  const json::Value result = run(stored).stored;
  EXPECT_FALSE(result["metadata"]["annotations"].exists()) << json::to_text(result);
  EXPECT_EQ(result["spec"]["services"]["A"]["replicas"].integer(), 1);
}

constexpr std::string_view kBetaMeta =
    "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: g}, spec: ";

// A graph of a later operator with this spec.
RequestInputs beta_spec(std::string_view spec, std::string_view old_spec = {}) {
  RequestInputs inputs{.object = std::string(kBetaMeta).append(spec).append("}"),
                       .generation = api::OperatorGeneration::kLater,
                       .version = api::Version::kV1beta1,
                       .grove = api::Fact::kYes};
  if (!old_spec.empty()) inputs.old_object = std::string(kBetaMeta).append(old_spec).append("}");
  return inputs;
}

constexpr std::string_view kVllmPods =
    "podTemplate: {spec: {containers: [{name: main, image: 'a:1.5.0', command: [python3, -m, "
    "dynamo.vllm], args: [--model, m], resources: {limits: {nvidia.com/gpu: '1'}}}]}}";

std::string one_component(std::string_view framework, std::string_view fields) {
  return std::string("{backendFramework: ")
      .append(framework)
      .append(", components: [{name: A, ")
      .append(fields)
      .append(", ")
      .append(kVllmPods)
      .append("}]}");
}

TEST_F(DryRunTest, NullItemGetsOneError) {
  std::string spec = one_component("vllm", "type: worker, replicas: 1");
  spec.insert(spec.size() - 2, ", null");
  EXPECT_THAT(test::places_of(run(beta_spec(spec)).findings),
              ElementsAre(Place{"spec.components[1]", "schema.type"}));
  spec.insert(spec.size() - 2, ", null");
  EXPECT_THAT(test::places_of(run(beta_spec(spec)).findings),
              ElementsAre(Place{"spec.components[1]", "schema.type"},
                          Place{"spec.components[2]", "schema.type"}));
  std::string pods = one_component("vllm", "type: worker, replicas: 1");
  pods.insert(pods.find("}]}}"), "}, null");
  pods.erase(pods.find("null}") + 4, 1);
  const api::ErrorList& findings = run(beta_spec(pods)).findings;
  EXPECT_THAT(
      test::places_of(findings),
      ElementsAre(Place{"spec.components[0].podTemplate.spec.containers[1]", "schema.type"}));
}

TEST_F(DryRunTest, OneMistakeIsReportedOnce) {
  const api::ErrorList& of_type =
      run(beta_spec(one_component("vllm", "type: wroker, replicas: 1"))).findings;
  EXPECT_THAT(test::places_of(of_type),
              ElementsAre(Place{"spec.components[0].type", "schema.enum"}));
  EXPECT_THAT(test::warnings_of(of_type), IsEmpty());
  EXPECT_THAT(
      test::places_of(run(beta_spec(one_component("llama", "type: worker, replicas: 1"))).findings),
      ElementsAre(Place{"spec.backendFramework", "schema.enum"}));
  EXPECT_THAT(
      test::places_of(run(beta_spec(one_component("vllm", "type: worker, replicas: -1"))).findings),
      ElementsAre(Place{"spec.components[0].replicas", "schema.minimum"}));
  EXPECT_THAT(
      test::places_of(run(beta_spec("{components: [{name: A, type: worker, replicas: 1, "
                                    "podTemplate: {spec: {}}}]}"))
                          .findings),
      ElementsAre(Place{"spec.components[0].podTemplate.spec.containers", "schema.required"}));
}

TEST_F(DryRunTest, ImmutableFieldIsReportedOnce) {
  const std::string spec = one_component("vllm", "type: worker, replicas: 1");
  std::string old = spec;
  old.replace(old.find("vllm"), 4, "sglang");
  const api::ErrorList& findings = run(beta_spec(spec, old)).findings;
  EXPECT_THAT(test::places_of(findings),
              testing::Contains(Place{"spec.backendFramework", "hub.backend.fixed"}));
  EXPECT_THAT(test::warnings_of(findings),
              Not(testing::Contains(Place{"spec.backendFramework", "hub.backend.fixed"})));
}

TEST_F(DryRunTest, PolicyRelaxesMistakeThatTwoRulesReport) {
  RequestInputs inputs =
      beta_spec(one_component("vllm", "type: worker, replicas: 1, sharedMemorySize: -1Gi"));
  const Place place{"spec.components[0].sharedMemorySize", "hub.component.shared-memory"};
  EXPECT_THAT(test::places_of(run(inputs).findings), ElementsAre(place));
  inputs.policy =
      "{version: 1, severities: [{rules: [hub.component.shared-memory], severity: warn}]}";
  const DryRunResult& relaxed = run(inputs);
  EXPECT_TRUE(relaxed.is_allowed());
  EXPECT_THAT(test::warnings_of(relaxed.findings), testing::Contains(place));
}

TEST_F(DryRunTest, PlannerOfLaterOperatorHasExactName) {
  RequestInputs scaled =
      beta_spec(one_component("vllm", "type: worker, scalingAdapter: {}, replicas: 2"),
                one_component("vllm", "type: worker, scalingAdapter: {}, replicas: 1"));
  scaled.user = "system:serviceaccount:default:planner-serviceaccount";
  EXPECT_TRUE(run(scaled).is_allowed());
  scaled.user = "system:serviceaccount:default:my-planner-serviceaccount";
  EXPECT_THAT(test::places_of(run(scaled).findings),
              ElementsAre(Place{"spec.components[0].replicas", "hub.component.replicas"}));
}

TEST_F(DryRunTest, NonObjectGetsTypeError) {
  const DryRunResult& result = run({.object = "[]"});
  EXPECT_FALSE(result.is_allowed());
  EXPECT_FALSE(result.stored.exists());
}

TEST_F(DryRunTest, PreviousObjectIsCleared) {
  EXPECT_FALSE(run({.object = graph("{services: {}}")}).is_allowed());
  EXPECT_TRUE(run({.object = graph("{services: {A: {" DYNAMO_GOOD_SERVICE "}}}")}).is_allowed());
}

}  // namespace
}  // namespace dynamo::admission
