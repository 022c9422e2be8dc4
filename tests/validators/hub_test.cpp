// The rules of later operators together: their order, stages and severities. validators/texts has
// the cases of each rule.
#include "validators/hub/validate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/findings.hpp"
#include "tests/support/known_objects.hpp"
#include "tests/support/objects.hpp"
#include "validators/hub/name_length.hpp"
#include "validators/hub/view.hpp"
#include "validators/severities.hpp"

namespace dynamo::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr api::ClusterFacts kFacts{.inference_pool_served = api::Fact::kNo,
                                   .grove_served = api::Fact::kNo};

// "FIELD: RULE" of each error.
std::vector<std::string> errors_on(api::Kind kind, std::string_view object,
                                   std::string_view old = {}) {
  const json::Document now = from_yaml(object);
  json::Document before;
  if (!old.empty()) before = from_yaml(old);
  std::vector<std::string> lines;
  const EvaluationInputs inputs{.kind = kind, .facts = kFacts};
  for (const Place& place : places_of(evaluate_hub_rules(inputs, now.root(), before.root()))) {
    lines.push_back(place.field + ": " + place.rule);
  }
  return lines;
}

constexpr std::string_view kBrokenGraph = R"(
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata:
  name: chat
  namespace: default
  annotations: {nvidia.com/grove-update-strategy: never}
spec:
  backendFramework: vllm
  priorityClassName: high
  providerOverride: {}
  restart: {strategy: {order: [c]}}
  experimental: {kvTransferPolicy: {clusterTopologyName: t}}
  components:
    - {name: b, type: epp, minAvailable: 1, sharedMemorySize: -1, frontendSidecar: s}
    - name: a
      type: frontend
      topologyConstraint: {packDomain: rack}
      experimental:
        gpuMemoryService: {mode: InterPod}
        failover: {mode: InterPod}
        grove: {forceScalingGroup: true}
        checkpoint: {enabled: true}
      podTemplate:
        metadata: {annotations: {dynamo.nvidia.com/gpu-power-limit: none}}
        spec:
          containers:
            - {name: main, args: [--enable-elastic-ep, -dpb=ray], volumeMounts: [{name: v}]}
)";

TEST(HubRules, GraphErrorsFollowOperatorOrder) {
  EXPECT_THAT(
      errors_on(api::Kind::kGraphDeployment, kBrokenGraph),
      ElementsAre(
          "metadata.annotations[nvidia.com/grove-update-strategy]: hub.graph.annotations",
          "spec.providerOverride: hub.graph.provider-override",
          "spec.priorityClassName: hub.graph.priority-class",
          "spec.components[0].minAvailable: hub.component.min-available",
          "spec.components[0].sharedMemorySize: hub.component.shared-memory",
          "spec.components[0].type: hub.component.endpoint-picker",
          "spec.components[0].eppConfig: hub.component.endpoint-picker",
          "spec.components[0].podTemplate.spec.containers: hub.component.frontend-sidecar",
          "spec.components[0].podTemplate.spec.containers: hub.runtime.image",
          "spec.components[1].experimental.gpuMemoryService.mode: hub.gpu-memory.inter-pod",
          "spec.components[1].podTemplate.metadata.annotations[dynamo.nvidia.com/gpu-power-limit]: "
          "hub.power-limit.value",
          "spec.components[1].experimental.gpuMemoryService: hub.power-limit.value",
          "spec.components[1].podTemplate.spec.containers[0].command: "
          "hub.component.elastic-command",
          "spec.components[1].experimental.gpuMemoryService: hub.gpu-memory.component",
          "spec.components[1].experimental.gpuMemoryService: hub.gpu-memory.component",
          "spec.components[1].experimental.failover: hub.failover.component",
          "spec.components[1].experimental.failover: hub.failover.component",
          "spec.components[1].experimental.grove.forceScalingGroup: hub.component.scaling-group",
          "spec.components[1].experimental.checkpoint: hub.checkpoint.component",
          "spec.components[1].experimental.checkpoint: hub.checkpoint.component",
          "spec.components[1].podTemplate.spec.containers[0].image: hub.runtime.image",
          "spec.restart.strategy.order: hub.restart.order",
          "spec.restart.strategy.order[0]: hub.restart.order",
          "spec.topologyConstraint: hub.topology.constraint",
          "spec.experimental.kvTransferPolicy.clusterTopologyName: hub.kv-transfer.topology",
          "spec.services[a].volumeMounts[0].mountPoint: hub.alpha.service"));
}

TEST(HubRules, FirstExtraClientIsChecked) {
  constexpr std::string_view kComponent = R"(
apiVersion: nvidia.com/v1beta1
kind: DynamoComponentDeployment
metadata: {name: a, namespace: default}
spec:
  name: a
  type: worker
  experimental: {gpuMemoryService: {mode: IntraPod, extraClientContainers: [other]}}
  podTemplate:
    spec:
      containers: [{name: main, image: r/a:1.0.0, resources: {limits: {nvidia.com/gpu: '1'}}}]
)";
  EXPECT_THAT(errors_on(api::Kind::kComponentDeployment, kComponent),
              ElementsAre("spec.experimental.gpuMemoryService.extraClientContainers[0]: "
                          "hub.gpu-memory.component"));
}

constexpr std::string_view kGraphBefore = R"(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: default, annotations: {nvidia.com/workload-provider: grove}}
spec:
  backendFramework: vllm
  services:
    b:
      componentType: worker
      multinode: {nodeCount: 2}
      extraPodSpec: {mainContainer: {image: r/a:1.0.0}}
    a:
      componentType: worker
      extraPodSpec: {mainContainer: {image: r/a:1.0.0}}
)";
constexpr std::string_view kGraphAfter = R"(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: default}
spec:
  backendFramework: sglang
  services:
    c: {componentType: worker}
    b: {componentType: worker}
    a:
      componentType: worker
      scalingAdapter: {enabled: true}
      replicas: 2
      extraPodSpec: {mainContainer: {image: r/a:latest}}
)";

TEST(HubRules, GraphUpdateErrorsFollowOperatorOrder) {
  EXPECT_THAT(
      errors_on(api::Kind::kGraphDeployment, kGraphAfter, kGraphBefore),
      ElementsAre("metadata.annotations[nvidia.com/workload-provider]: hub.graph.provider-fixed",
                  "spec.components: hub.graph.components-fixed",
                  "spec.components[0].replicas: hub.component.replicas",
                  "spec.components[1].multinode: hub.component.node-class",
                  "spec.backendFramework: hub.backend.fixed",
                  "spec.services[a].runtimeVersionOverride: hub.alpha.runtime-image-kept",
                  "spec.services[b].extraPodSpec.mainContainer.image: "
                  "hub.alpha.runtime-image-kept"));
}

TEST(HubRules, ChangedComponentsAreNamed) {
  const auto graph = [](std::string_view components) {
    return from_yaml("{spec: {components: [" + std::string(components) + "]}}");
  };
  const auto detail = [&](std::string_view before, std::string_view after) {
    const json::Document now = graph(after);
    const json::Document old = graph(before);
    const EvaluationInputs inputs{.kind = api::Kind::kGraphDeployment, .facts = kFacts};
    const api::ErrorList found = evaluate_hub_rules(inputs, now.root(), old.root());
    for (const api::Error& error : found.errors()) {
      if (error.rule == "hub.graph.components-fixed") return error.detail;
    }
    return std::string();
  };
  constexpr std::string_view kStart = "must keep the components of the graph";
  constexpr std::string_view kEnd = "; create a graph with the other components";
  EXPECT_EQ(detail("{name: a}, {name: b}", "{name: b}, {name: c}, {name: d}"),
            std::string(kStart) + R"(; added "c", "d"; removed "a")" + std::string(kEnd));
  EXPECT_EQ(detail("{name: a}", "{name: a}, {name: b}"),
            std::string(kStart) + R"(; added "b")" + std::string(kEnd));
  EXPECT_EQ(detail("{name: a}, {name: b}", "{name: b}"),
            std::string(kStart) + R"(; removed "a")" + std::string(kEnd));
}

TEST(HubRules, LaterFailoverNeedsContainerDiscovery) {
  EXPECT_THAT(errors_on(api::Kind::kGraphDeployment,
                        "{spec: {components: [{name: a, type: frontend}, {name: b, type: worker, "
                        "experimental: {failover: {mode: InterPod}}}, {name: c, type: worker, "
                        "experimental: {failover: {mode: IntraPod}}}]}}"),
              Contains("metadata.annotations[nvidia.com/dynamo-kube-discovery-mode]: "
                       "hub.graph.annotations"));
}

TEST(HubRules, ComponentAfterWrongTypeIsValidated) {
  EXPECT_THAT(errors_on(api::Kind::kGraphDeployment,
                        "{spec: {backendFramework: vllm, components: [3, {name: w, type: worker, "
                        "sharedMemorySize: -1Gi, podTemplate: {spec: {containers: [{name: main, "
                        "image: 'r/a:1.0.0'}]}}}]}}"),
              Contains("spec.components[1].sharedMemorySize: hub.component.shared-memory"));
}

// The operator reads the first name of all GPU resources.
TEST(HubRules, FirstGpuResourceByNameCounts) {
  const auto has_gpus = [](std::string_view limits) {
    const json::Document component =
        from_yaml("{podTemplate: {spec: {containers: [{name: main, resources: {limits: " +
                  std::string(limits) + "}}]}}}");
    return validators::hub::gpu_count(component.root());
  };
  EXPECT_EQ(has_gpus("{nvidia.com/gpu: '2', amd.com/gpu: '1'}"), 1U);
  EXPECT_EQ(has_gpus("{amd.com/gpu: '1', nvidia.com/gpu: '2'}"), 1U);
  EXPECT_EQ(has_gpus("{c/gpu: '3', b/gpu: '2', a/gpu: '1'}"), 1U);
}

TEST(HubRules, ErrorInNewStateEndsGraphUpdate) {
  std::string after(kGraphAfter);
  after += "  restart: {id: a, strategy: {type: Parallel, order: [a]}}\n";
  EXPECT_THAT(errors_on(api::Kind::kGraphDeployment, after, kGraphBefore),
              ElementsAre("spec.restart.strategy.order: hub.restart.order"));
}

TEST(HubRules, ComponentUpdateReportsAllStagesInOrder) {
  constexpr std::string_view kBefore = R"(
apiVersion: nvidia.com/v1alpha1
kind: DynamoComponentDeployment
metadata: {name: w, namespace: default}
spec:
  backendFramework: vllm
  componentType: worker
  extraPodSpec: {mainContainer: {image: r/a:1.0.0}}
)";
  constexpr std::string_view kAfter = R"(
apiVersion: nvidia.com/v1alpha1
kind: DynamoComponentDeployment
metadata: {name: w, namespace: default}
spec:
  backendFramework: sglang
  componentType: worker
  minAvailable: 1
  multinode: {nodeCount: 2}
  ingress: {enabled: true}
)";
  EXPECT_THAT(errors_on(api::Kind::kComponentDeployment, kAfter, kBefore),
              ElementsAre("spec.minAvailable: hub.component.min-available",
                          "spec.ingress.host: hub.alpha.service",
                          "spec.extraPodSpec.mainContainer.image: hub.alpha.runtime-image-kept",
                          "spec.backendFramework: hub.backend.fixed",
                          "spec.multinode: hub.component.node-class"));
}

// Evaluates the broken graph without its form in v1alpha1.
api::ErrorList evaluate_broken_graph(const validators::Severities& severities) {
  const json::Document document = from_yaml(kBrokenGraph);
  const api::Settings settings;
  const api::Context context{.kind = api::Kind::kGraphDeployment,
                             .namespace_name = "default",
                             .object_name = "chat",
                             .user = "jane@example.com",
                             .sub_resource = {},
                             .settings = settings,
                             .facts = kFacts};
  api::ErrorList found;
  validators::hub::validate({.context = context,
                             .object = document.root(),
                             .old = {},
                             .alpha = {},
                             .old_alpha = {},
                             .is_alpha_request = false},
                            found, severities);
  return found;
}

TEST(HubRules, SeveritiesOfThePolicyApply) {
  using validators::Severity;
  validators::Severities severities;
  for (const validators::Rule& rule : validators::catalog()) {
    severities.set(validators::index_of(rule), Severity::kOff);
  }
  EXPECT_TRUE(evaluate_broken_graph(severities).empty());
  severities.set(*validators::find_rule_index("hub.restart.order"), Severity::kWarn);
  const api::ErrorList found = evaluate_broken_graph(severities);
  EXPECT_THAT(errors_of(found), IsEmpty());
  EXPECT_EQ(warnings_of(found).size(), 2U);
}

TEST(HubRules, AlphaRulesNeedTheObjectInThatVersion) {
  for (const Place& place : places_of(evaluate_broken_graph(validators::default_severities()))) {
    EXPECT_FALSE(place.rule.starts_with("hub.alpha.")) << place.field;
  }
}

TEST(HubRules, BindingsAreReadUntilSpecChanges) {
  const auto errors_at = [](std::string_view generation) {
    const json::Document graph = from_yaml(
        "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: g, "
        "namespace: default, annotations: {nvidia.com/workload-provider: grove}, generation: " +
        std::string(generation) +
        "}, spec: {backendFramework: vllm, topologyConstraint: {clusterTopologyName: t, "
        "packDomain: rack}, components: [{name: w, type: worker, podTemplate: {spec: {containers: "
        "[{name: main, image: 'r/a:1.0.0'}]}}}]}}");
    const KnownObjects nothing{{}, api::Fact::kNo};
    const EvaluationInputs inputs{.facts = kFacts, .objects = &nothing};
    return errors_of(evaluate_hub_rules(inputs, graph.root(), graph.root())).size();
  };
  EXPECT_EQ(errors_at("1"), 1U);
  EXPECT_EQ(errors_at("2"), 0U);
}

TEST(HubRules, WrongTypesAreTolerated) {
  for (const std::string_view part :
       {"spec: 3", "spec: null", "spec: {components: {}}", "spec: {components: [3, null, {}]}",
        "spec: {components: [{name: 3, podTemplate: [], experimental: 1, multinode: a}]}",
        "spec: {providerOverride: [], restart: {strategy: {order: {}}}}",
        "metadata: {annotations: {nvidia.com/workload-provider: [1]}}"}) {
    for (const api::KindNames& names : api::kKinds) {
      const std::string object =
          "{apiVersion: nvidia.com/v1beta1, kind: " + std::string(names.name) + ", " +
          std::string(part) + "}";
      errors_on(names.kind, object);
      errors_on(names.kind, object, object);
    }
  }
}

TEST(HubRules, LongGraphNamesAreShortenedByHash) {
  const json::Document group = from_yaml(
      "[{name: worker, experimental: {grove: {forceScalingGroup: true}}},"
      " {name: prefil, multinode: {nodeCount: 2}}]");
  EXPECT_EQ(
      validators::hub::pod_clique_set_name("my-very-long-graph-deployment-name-x", group.root()),
      "my-very-long-graph-deplo-460b");
  const json::Document single = from_yaml("[{name: vllmdecodeworker}]");
  EXPECT_EQ(validators::hub::pod_clique_set_name("a-long-graph-deployment-name-for-tests-0001",
                                                 single.root()),
            "a-long-graph-deployment--9d22");
  EXPECT_EQ(validators::hub::pod_clique_set_name("chat", single.root()), "chat");
}

}  // namespace
}  // namespace dynamo::test
