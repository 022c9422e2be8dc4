// Reviews of v1beta1 objects, as API servers with a later operator send them.
#include "admission/both_versions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "admission/client_words.hpp"
#include "conversion/convert.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "tests/support/review_fixture.hpp"

namespace dynamo::admission {
namespace {

using api::Version;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kMain =
    "{name: main, image: 'nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.0'}";

// A graph with one frontend; `containers` in flow YAML.
std::string beta_graph(std::string_view containers) {
  return "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: example, "
         "namespace: default}, spec: {components: [{name: Frontend, type: frontend, replicas: 1, "
         "podTemplate: {spec: {containers: [" +
         std::string(containers) + "]}}}]}}";
}

// A container `main` with a mistake in its second variable.
constexpr std::string_view kWrongEnv =
    "{name: log, image: 'log:1'}, {name: main, image: 'nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.0'"
    ", env: [{name: A, value: x}, {name: B, value: x, valueFrom: {fieldRef: {fieldPath: "
    "spec.nodeName}}}]}";

std::unique_ptr<json::ParsedText> converted(json::Value object, Version target) {
  std::string text;
  conversion::Converter converter;
  EXPECT_EQ(converter.convert(object, target, text), std::nullopt);
  return json::parse_copy(text);
}

struct Denial {
  unsigned http_status = 0;
  bool is_allowed = false;
  std::int64_t code = 0;
  std::string message;
  std::vector<std::string> fields;
  std::vector<std::string> warnings;
};

class LaterReview : public testing::Test {
 protected:
  Denial review(const Route& route, const test::ReviewParts& parts) {
    const test::ReviewResponse reviewed = fixture_.review(route, test::review_text(parts));
    Denial denial;
    denial.http_status = reviewed.http_status;
    const auto answer = json::parse_copy(reviewed.answer);
    const json::Value response = answer->root()["response"];
    denial.is_allowed = response["allowed"].boolean().value_or(false);
    denial.code = response["status"]["code"].integer().value_or(0);
    denial.message = response["status"]["message"].string_or_empty();
    for (const json::Value cause : response["status"]["details"]["causes"].elements()) {
      denial.fields.emplace_back(cause["field"].string_or_empty());
    }
    for (const json::Value warning : response["warnings"].elements()) {
      denial.warnings.emplace_back(warning.string_or_empty());
    }
    return denial;
  }

  Denial review_graph(std::string_view object, Version client = Version::kV1beta1,
                      std::string_view old = {}) {
    const json::Document now = test::from_yaml(object);
    const json::Document before = old.empty() ? json::Document{} : test::from_yaml(old);
    return review(graph_route(),
                  {.operation = old.empty() ? api::Operation::kCreate : api::Operation::kUpdate,
                   .version = Version::kV1beta1,
                   .client_version = client,
                   .object = now.root(),
                   .old_object = before.root()});
  }

  static const Route& graph_route() {
    return *find_route("/validate/nvidia.com/v1beta1/dynamographdeployments");
  }

  test::ReviewFixture fixture_;
};

TEST_F(LaterReview, ValidObjectIsAllowed) {
  const Denial answer = review_graph(beta_graph(kMain));
  EXPECT_EQ(answer.http_status, 200U);
  EXPECT_TRUE(answer.is_allowed) << answer.message;
}

// Each text is one value, whatever it contains.
TEST_F(LaterReview, LongTextsAreNoReasonToDeny) {
  std::string list;
  while (list.size() < 100'000) list += "1,";
  const std::string variables =
      "{name: A, value: '" + list + "'}, {name: B, value: '" + list + "'}";
  const Denial answer = review_graph(
      beta_graph("{name: main, image: 'nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.0', env: [" +
                 variables + "]}"));
  EXPECT_TRUE(answer.is_allowed) << answer.message;
}

// A graph with as many of the shortest variables as its containers may have.
std::string largest_graph(std::string_view value) {
  std::string variables;
  for (int i = 0; i < 1000; ++i) {
    variables += (i == 0 ? "{name: V" : ", {name: V") + std::to_string(i) + ", value: '" +
                 std::string(value) + "'}";
  }
  std::string graph =
      "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: example, "
      "namespace: default}, spec: {components: [";
  for (int i = 0; i < 25; ++i) {
    graph += (i == 0 ? "{name: c" : ", {name: c") + std::to_string(i) +
             ", type: worker, podTemplate: {spec: {containers: [{name: main, image: "
             "'nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.0', env: [" +
             variables + "]}]}}}";
  }
  return graph + "]}}";
}

TEST_F(LaterReview, LargestUsefulGraphIsConvertible) {
  const auto is_about_memory = HasSubstr("too much memory");
  EXPECT_THAT(review_graph(largest_graph("1")).message, Not(is_about_memory));
  EXPECT_THAT(review_graph(largest_graph("1"), Version::kV1beta1, largest_graph("2")).message,
              Not(is_about_memory));
  EXPECT_THAT(review_graph(largest_graph("1"), Version::kV1alpha1).message, Not(is_about_memory));
}

TEST_F(LaterReview, ObjectThatNeedsTooMuchMemoryIsDenied) {
  std::string conditions = "{}";
  for (int i = 0; i < 100'000; ++i) conditions += ",{}";
  const std::string graph = beta_graph(kMain);
  const Denial denial = review_graph(graph.substr(0, graph.size() - 1) +
                                     ", status: {conditions: [" + conditions + "]}}");
  EXPECT_THAT(denial.fields, ElementsAre("spec"));
  EXPECT_THAT(denial.message,
              AllOf(HasSubstr("must be convertible to v1alpha1, which the API server does"),
                    HasSubstr("must have fewer values")));
}

TEST_F(LaterReview, FieldIsNamedInVersionOfClient) {
  EXPECT_THAT(review_graph(beta_graph(kWrongEnv)).fields,
              ElementsAre("spec.components[0].podTemplate.spec.containers[1].env[1].valueFrom"));
  EXPECT_THAT(review_graph(beta_graph(kWrongEnv), Version::kV1alpha1).fields,
              ElementsAre("spec.services[Frontend].envs[1].valueFrom"));
}

TEST_F(LaterReview, ObjectConvertedForTheWebhookNamesClientsFields) {
  const json::Document object = test::from_yaml(
      "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, metadata: {name: g}, spec: "
      "{services: {A: {componentType: frontend, replicas: 1, extraPodSpec: {mainContainer: {image: "
      "'a/b:latest'}}}}}}");
  const Denial denial = review(*find_route("/validate-nvidia-com-v1alpha1-dynamographdeployment"),
                               {.version = Version::kV1alpha1,
                                .client_version = Version::kV1beta1,
                                .object = object.root()});
  EXPECT_THAT(denial.fields, ElementsAre("spec.components[0].runtimeVersionOverride"));
}

// A graph whose annotation keeps a claim without a name and an ingress without a host.
constexpr std::string_view kKeptFields =
    "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: g, namespace: "
    "default, annotations: {nvidia.com/dgd-spec: '{\"version\":1,\"spec\":{\"pvcs\":[{\"name\":"
    "\"\"}],\"services\":{\"A\":{\"ingress\":{\"enabled\":true}}}}}'}}, spec: {components: [{name: "
    "A, type: frontend, replicas: 1, podTemplate: {spec: {containers: [{name: main, image: "
    "'nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.0'}]}}}]}}";

TEST_F(LaterReview, FieldThatOnlyAnnotationHoldsKeepsItsPath) {
  const Denial denial = review_graph(kKeptFields);
  EXPECT_THAT(denial.fields,
              testing::UnorderedElementsAre("spec.pvcs[0].name", "spec.services[A].ingress.host"));
  EXPECT_THAT(denial.message, HasSubstr("in the annotation nvidia.com/dgd-spec"));
}

TEST_F(LaterReview, DetailNamesFieldsInVersionOfClient) {
  const std::string graph =
      beta_graph(std::string(kMain) +
                 ", {name: log, image: 'log:1', volumeMounts: [{name: data, mountPath: /d}]}");
  EXPECT_THAT(review_graph(graph).message,
              HasSubstr("a volume of podTemplate.spec.volumes, or of a claim in the component's"));
  EXPECT_THAT(review_graph(graph, Version::kV1alpha1).message,
              HasSubstr("a volume of extraPodSpec.volumes, or of a claim in the service's"));
  std::string unknown_sidecar = beta_graph(kMain);
  unknown_sidecar.insert(unknown_sidecar.find("podTemplate"), "frontendSidecar: nope, ");
  EXPECT_THAT(review_graph(unknown_sidecar).message,
              HasSubstr("must be the name of a container in podTemplate"));
  EXPECT_THAT(review_graph(unknown_sidecar, Version::kV1alpha1).message,
              HasSubstr("must be the name of a container in extraPodSpec"));
}

TEST_F(LaterReview, LongComponentNameIsReportedOnceAtName) {
  const std::string name(60, 'a');
  const std::string graph =
      "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: g, "
      "namespace: "
      "default}, spec: {components: [{name: " +
      name + ", type: frontend, replicas: 1, podTemplate: {spec: {containers: [" +
      std::string(kMain) + "]}}}]}}";
  fixture_.facts.grove_served = api::Fact::kYes;
  EXPECT_THAT(review_graph(graph).fields, ElementsAre("spec.components[0].name"));
  std::string longer = graph;
  longer.insert(longer.find(name), 4, 'a');
  EXPECT_THAT(review_graph(longer).fields,
              testing::AllOf(Contains("spec.components[0].name"), Not(Contains("metadata.name")),
                             Not(Contains("spec.components[0]"))));
}

TEST_F(LaterReview, OmittedErrorsAreCounted) {
  std::string variables;
  for (int i = 0; i < 110; ++i) {
    variables += "{name: V" + std::to_string(i) +
                 ", value: x, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}, ";
  }
  const Denial denial =
      review_graph(beta_graph("{name: main, image: 'a:1.5.0', env: [" + variables + "]}"));
  EXPECT_EQ(denial.fields.size(), 100U);
  EXPECT_THAT(denial.message, testing::EndsWith(", and 10 more]"));
}

TEST(ClientWords, NamesOfFieldsAreReplacedOutsideQuotes) {
  EXPECT_EQ(
      in_words_of(Version::kV1beta1,
                  "must be a service in spec.services; found \"service\" in extraPodSpec.volumes"),
      "must be a component in spec.components; found \"service\" in podTemplate.spec.volumes");
  EXPECT_EQ(in_words_of(Version::kV1beta1, "the Service of my-service, or serviceAccountName"),
            "the Service of my-service, or serviceAccountName");
  EXPECT_EQ(in_words_of(Version::kV1beta1, "use the service's resources.limits.gpu"),
            "use the component's resources.limits[nvidia.com/gpu]");
  EXPECT_EQ(in_words_of(Version::kV1alpha1, "must be the name of a container in podTemplate"),
            "must be the name of a container in extraPodSpec");
  EXPECT_EQ(in_words_of(Version::kV1beta1, "set decode, planner, epp or a name of your own"),
            "set decode, planner or epp");
  EXPECT_EQ(in_words_of(Version::kV1alpha1, "podTemplate9 and podTemplateA"),
            "podTemplate9 and podTemplateA");
  EXPECT_EQ(in_words_of(Version::kV1alpha1, ""), "");
}

TEST_F(LaterReview, MistakeBeforeUpdateIsNoError) {
  const std::string before = beta_graph(kWrongEnv);
  std::string now = before;
  now.replace(now.find("replicas: 1"), 11, "replicas: 2");
  EXPECT_TRUE(review_graph(now, Version::kV1beta1, before).is_allowed);
  EXPECT_FALSE(review_graph(before, Version::kV1beta1, beta_graph(kMain)).is_allowed);
}

TEST_F(LaterReview, ObjectThatCannotBeConvertedIsDenied) {
  const Denial twice = review_graph(
      "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: g}, spec: "
      "{components: [{name: A}, {name: A}]}}");
  EXPECT_THAT(twice.fields, ElementsAre("spec.components"));
  EXPECT_THAT(twice.message, HasSubstr("two components with the name \"A\""));
  const Denial mistyped = review_graph(
      "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: g}, spec: "
      "{components: [{name: A, replicas: x}]}}");
  EXPECT_THAT(mistyped.fields, ElementsAre("spec.components[0].replicas"));
}

// The verdict on an update of a request that is ready; both specs in flow YAML.
struct RequestUpdate {
  std::string_view name;
  std::string_view before;
  std::string_view now;
  bool is_allowed;
};

class FrozenRequest : public LaterReview, public testing::WithParamInterface<RequestUpdate> {};

TEST_P(FrozenRequest, IsComparedByValue) {
  const auto request = [](std::string_view spec) {
    return test::from_yaml(
        "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeploymentRequest, metadata: {name: r, "
        "namespace: default}, spec: {model: m, " +
        std::string(spec) + "}, status: {phase: Ready}}");
  };
  const json::Document before = request(GetParam().before);
  const json::Document now = request(GetParam().now);
  const Denial answer =
      review(*find_route("/validate-nvidia-com-v1beta1-dynamographdeploymentrequest"),
             {.kind = api::Kind::kGraphDeploymentRequest,
              .operation = api::Operation::kUpdate,
              .version = Version::kV1beta1,
              .client_version = Version::kV1beta1,
              .object = now.root(),
              .old_object = before.root()});
  EXPECT_EQ(answer.is_allowed, GetParam().is_allowed) << answer.message;
}

constexpr std::string_view kOneCpu =
    "overrides: {profilingJob: {template: {spec: {containers: [{name: profiler, resources: "
    "{limits: {cpu: '1'}}}]}}}}";
constexpr std::string_view kThousandMillis =
    "overrides: {profilingJob: {template: {spec: {containers: [{name: profiler, resources: "
    "{limits: {cpu: 1000m}}}]}}}}";
constexpr std::string_view kTwoCpus =
    "overrides: {profilingJob: {template: {spec: {containers: [{name: profiler, resources: "
    "{limits: {cpu: '2'}}}]}}}}";
constexpr std::string_view kNoTolerations =
    "overrides: {profilingJob: {template: {spec: {tolerations: [], containers: [{name: profiler, "
    "resources: {limits: {cpu: '1'}}}]}}}}";

INSTANTIATE_TEST_SUITE_P(
    Specs, FrozenRequest,
    testing::Values(RequestUpdate{"same_quantity", kOneCpu, kThousandMillis, true},
                    RequestUpdate{"other_quantity", kOneCpu, kTwoCpus, false},
                    RequestUpdate{"empty_list", kOneCpu, kNoTolerations, true},
                    RequestUpdate{"empty_text", "hardware: {vramMb: 1}",
                                  "hardware: {vramMb: 1, gpuSku: ''}", true},
                    RequestUpdate{"empty_image", "backend: vllm", "backend: vllm, image: ''", true},
                    RequestUpdate{"other_text", "backend: vllm", "backend: sglang", false},
                    RequestUpdate{"added_object", "backend: vllm", "backend: vllm, hardware: {}",
                                  false},
                    RequestUpdate{"applied_with_empty_list",
                                  "autoApply: false, overrides: {profilingJob: "
                                  "{activeDeadlineSeconds: 60, template: {spec: {tolerations: []}}"
                                  "}}",
                                  "autoApply: true, overrides: {profilingJob: "
                                  "{activeDeadlineSeconds: 60, template: {spec: {}}}}",
                                  true}),
    [](const auto& test) { return std::string(test.param.name); });
// A worker with a second container, whose liveness probe is `probe`; `frontend` names one.
std::string graph_with_sidecar(std::string_view frontend, std::string_view probe) {
  return "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: g, "
         "namespace: default}, spec: {backendFramework: vllm, components: [{name: W, type: worker, "
         "replicas: 1, frontendSidecar: " +
         std::string(frontend) +
         ", podTemplate: {spec: {containers: [{name: main, image: 'nvcr.io/x/y:1.5.0', command: "
         "[python3, -m, dynamo.vllm], args: [--model, Q], resources: {limits: {nvidia.com/gpu: "
         "'1'}}}, {name: fs, image: 'nvcr.io/x/y:1.5.0', livenessProbe: " +
         std::string(probe) + "}, {name: other, image: 'nvcr.io/x/y:1.5.0'}]}}}]}}";
}

constexpr std::string_view kSidecarProbe =
    "spec.components[0].podTemplate.spec.containers[1].livenessProbe";

TEST_F(LaterReview, ProbeOfFrontendSidecarNeedsNoHandler) {
  constexpr std::string_view kWithoutHandler = "{periodSeconds: 5}";
  EXPECT_THAT(review_graph(graph_with_sidecar("fs", kWithoutHandler)).fields, testing::IsEmpty());
  EXPECT_THAT(review_graph(graph_with_sidecar("other", kWithoutHandler)).fields,
              ElementsAre(kSidecarProbe));
}

TEST_F(LaterReview, ProbeOfFrontendSidecarMayCallDefaultPort) {
  constexpr std::string_view kNamedPort = "{httpGet: {path: /live, port: http}}";
  EXPECT_THAT(review_graph(graph_with_sidecar("fs", kNamedPort)).warnings,
              Not(Contains(HasSubstr("[pod.probe]"))));
  EXPECT_THAT(review_graph(graph_with_sidecar("other", kNamedPort)).warnings,
              Contains(HasSubstr("[pod.probe]")));
}

TEST_F(LaterReview, OtherHandlerOfFrontendSidecarIsDenied) {
  constexpr std::string_view kCommand = "{exec: {command: [cat, /tmp/alive]}}";
  EXPECT_THAT(review_graph(graph_with_sidecar("fs", kCommand)).fields, ElementsAre(kSidecarProbe));
  EXPECT_THAT(review_graph(graph_with_sidecar("other", kCommand)).fields, testing::IsEmpty());
}

TEST_F(LaterReview, OldProbeOfFrontendSidecarIsNoError) {
  constexpr std::string_view kCommand = "{exec: {command: [cat, /tmp/alive]}}";
  const std::string before = graph_with_sidecar("fs", kCommand);
  std::string now = before;
  now.replace(now.find("--model, Q"), 10, "--model, R");
  EXPECT_TRUE(review_graph(now, Version::kV1beta1, before).is_allowed);
}

TEST_F(LaterReview, LongNameIsCutInMessage) {
  const std::string name(100'000, 'n');
  const Denial denial = review_graph(
      "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: g}, spec: "
      "{components: [{name: " +
      name + "}, {name: " + name + "}]}}");
  EXPECT_FALSE(denial.is_allowed);
  EXPECT_LT(denial.message.size(), 2'000U);
}

TEST_F(LaterReview, RequestOfOtherKindIsDeniedWithoutCauses) {
  const json::Document object = test::from_yaml(
      test::object_text(api::Kind::kGraphDeployment, "{services: {A: {" DYNAMO_GOOD_SERVICE "}}}"));
  const Denial denial = review(graph_route(), {.object = object.root()});
  EXPECT_EQ(denial.http_status, 200U);
  EXPECT_FALSE(denial.is_allowed);
  EXPECT_EQ(denial.code, 403);
  EXPECT_THAT(denial.fields, testing::IsEmpty());
  EXPECT_THAT(denial.message, HasSubstr("nvidia.com/v1beta1 DynamoGraphDeployment"));
  EXPECT_THAT(denial.message, HasSubstr("nvidia.com/v1alpha1 DynamoGraphDeployment"));
  fixture_.reviewer = Reviewer(Enforcement::kAudit, {});
  const Denial audited = review(graph_route(), {.object = object.root()});
  EXPECT_TRUE(audited.is_allowed);
  EXPECT_THAT(audited.warnings, Contains(HasSubstr("would be denied: request.kind must be")));
}

TEST_F(LaterReview, FirstOperatorsDoNotServeIt) {
  fixture_.facts.operator_generation = api::OperatorGeneration::kFirst;
  EXPECT_EQ(review_graph(beta_graph(kMain)).http_status, 400U);
}

TEST_F(LaterReview, OldPathsValidateAlphaObjects) {
  fixture_.facts.operator_generation = api::OperatorGeneration::kLater;
  const json::Document beta = test::from_yaml(beta_graph(kWrongEnv));
  const auto alpha = converted(beta.root(), Version::kV1alpha1);
  const Denial denial =
      review(test::validating(api::Kind::kGraphDeployment), {.object = alpha->root()});
  EXPECT_THAT(denial.fields, ElementsAre("spec.services[Frontend].envs[1].valueFrom"));
}

TEST_F(LaterReview, RulesOfFirstOperatorsDoNotDeny) {
  // First operators want a name of a claim's class; v1beta1 has no claims, but keeps those of
  // v1alpha1.
  const json::Document alpha = test::from_yaml(test::object_text(
      api::Kind::kGraphDeployment,
      "{pvcs: [{name: data, create: true, size: 1Gi, storageClass: '', volumeAccessMode: "
      "ReadWriteOnce}], services: {Frontend: {" DYNAMO_GOOD_SERVICE "}}}"));
  const auto beta = converted(alpha.root(), Version::kV1beta1);
  const Denial answer = review(
      graph_route(),
      {.version = Version::kV1beta1, .client_version = Version::kV1alpha1, .object = beta->root()});
  EXPECT_THAT(answer.fields, Not(Contains("spec.pvcs[0].storageClass")));
  EXPECT_FALSE(
      review(test::validating(api::Kind::kGraphDeployment), {.object = alpha.root()}).is_allowed);
}

TEST_F(LaterReview, ObjectNeedsNoKindOfItsOwn) {
  std::string graph = beta_graph(kWrongEnv);
  graph.erase(1, graph.find("metadata") - 1);
  EXPECT_THAT(review_graph(graph).fields,
              ElementsAre("spec.components[0].podTemplate.spec.containers[1].env[1].valueFrom"));
}

TEST_F(LaterReview, ScalingAdapterUsesFirstPath) {
  const json::Document adapter = test::from_yaml(
      "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeploymentScalingAdapter, metadata: "
      "{name: "
      "a, namespace: default}, spec: {replicas: 1, dgdRef: {name: g, componentName: ''}}}");
  const api::AdmissionRequest request{
      .uid = "u",
      .kind = {api::kGroup, "v1beta1", "DynamoGraphDeploymentScalingAdapter"},
      .name = "a",
      .namespace_name = "default",
      .object = adapter.root()};
  RequestEvaluator evaluator;
  const Admission admission =
      evaluator.evaluate_both(api::Kind::kScalingAdapter, request,
                              {fixture_.settings, fixture_.facts, fixture_.leases, fixture_.now});
  ASSERT_EQ(admission.decision.findings.errors().size(), 1U);
  EXPECT_EQ(admission.decision.findings.errors().front().field, "spec.dgdRef.componentName");
}

TEST_F(LaterReview, DefaultsArePatchOfBetaObject) {
  fixture_.facts.grove_served = api::Fact::kYes;
  const json::Document object = test::from_yaml(
      "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: g, "
      "namespace: "
      "default}, spec: {components: [{name: A}]}}");
  const test::ReviewResponse reviewed =
      fixture_.review(*find_route("/mutate/nvidia.com/v1beta1/dynamographdeployments"),
                      test::review_text({.version = Version::kV1beta1, .object = object.root()}));
  EXPECT_EQ(reviewed.verdict, ReviewVerdict::kAllowed);
  EXPECT_THAT(reviewed.answer, HasSubstr("\"patchType\":\"JSONPatch\""));
}

class LaterDefaultsOfAlpha : public testing::Test {
 protected:
  // The decision of both webhooks on a new graph with an override.
  Admission admit(std::string_view annotations, std::string_view more_of_spec) {
    object_ = test::from_yaml(
        "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, metadata: {name: g, "
        "namespace: default, annotations: {" +
        std::string(annotations) + "}}, spec: {" + std::string(more_of_spec) +
        "backendFramework: vllm, services: {A: {componentType: worker, resources: {limits: {gpu: "
        "'1'}}, extraPodSpec: {mainContainer: {image: 'a:1.5.0', command: [x]}}, providerOverride: "
        "{apiVersion: grove.io/v1alpha1, value: {topologyConstraint: {packDomain: rack}}}}}}}");
    const api::AdmissionRequest request{
        .uid = "u",
        .kind = {api::kGroup, api::kVersion, "DynamoGraphDeployment"},
        .name = "g",
        .namespace_name = "default",
        .object = object_.root()};
    return evaluator_.evaluate_both(
        api::Kind::kGraphDeployment, request,
        {fixture_.settings, fixture_.facts, fixture_.leases, fixture_.now});
  }

  test::ReviewFixture fixture_;

 private:
  json::Document object_;
  RequestEvaluator evaluator_;
};

TEST_F(LaterDefaultsOfAlpha, OverrideIsAdmittedOnGrove) {
  fixture_.facts.operator_generation = api::OperatorGeneration::kLater;
  fixture_.facts.grove_served = api::Fact::kYes;
  const Admission admission = admit("", "");
  EXPECT_TRUE(admission.decision.is_allowed())
      << admission.decision.findings.errors().front().field;
  EXPECT_THAT(admission.patch, HasSubstr("/spec/services/A/providerOverride/target"));
}

TEST_F(LaterDefaultsOfAlpha, RulesReadTheOverwrittenProvider) {
  fixture_.facts.operator_generation = api::OperatorGeneration::kLater;
  fixture_.facts.grove_served = api::Fact::kNo;
  const Admission admission =
      admit("nvidia.com/workload-provider: grove", "priorityClassName: p, ");
  std::vector<std::string> fields;
  for (const api::Error& error : admission.decision.findings.errors()) {
    fields.push_back(error.field);
  }
  EXPECT_THAT(fields, Contains("spec.priorityClassName"));
}

TEST_F(LaterDefaultsOfAlpha, FirstOperatorsSetNoProvider) {
  fixture_.facts.grove_served = api::Fact::kYes;
  EXPECT_THAT(admit("", "").patch, Not(HasSubstr("workload-provider")));
}

}  // namespace
}  // namespace dynamo::admission
