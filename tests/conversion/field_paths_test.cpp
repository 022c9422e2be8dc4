#include "conversion/field_paths.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>

#include "conversion/convert.hpp"
#include "json/parser.hpp"
#include "json/yaml.hpp"

namespace dynamo::test {
namespace {

using conversion::Version;

// A manifest and its conversion to the other version.
class BothVersions {
 public:
  explicit BothVersions(std::string_view manifest) {
    json::YamlReader reader{manifest};
    if (reader.next(written_) != json::YamlReader::ReadResult::kDocument) {
      throw std::runtime_error("not a YAML document");
    }
    const json::Value object = written_.root();
    const bool is_beta = object["apiVersion"].string() == "nvidia.com/v1beta1";
    std::string text;
    conversion::Converter converter;
    const auto error =
        converter.convert(object, is_beta ? Version::kV1alpha1 : Version::kV1beta1, text);
    if (error) throw std::runtime_error(*error);
    converted_ = json::parse_copy(text);
    versions_ = {.kind = object["kind"].string_or_empty(),
                 .alpha = is_beta ? converted_->root() : object,
                 .beta = is_beta ? object : converted_->root()};
  }

  std::string path(std::string_view path, Version target) const {
    return conversion::convert_field_path(path, versions_, target);
  }

  std::string_view annotation(std::string_view path) const {
    return conversion::annotation_of_kept_field(path, versions_);
  }

 private:
  json::Document written_;
  std::unique_ptr<json::ParsedText> converted_;
  conversion::ObjectVersions versions_;
};

constexpr std::string_view kBetaGraph = R"(
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: g}
spec:
  env: [{name: LOG, value: info}]
  topologyConstraint: {clusterTopologyName: t, packDomain: rack}
  components:
  - name: Worker
    type: decode
    replicas: 2
    sharedMemorySize: 1Gi
    compilationCache: {pvcName: cache, mountPath: /cache}
    experimental:
      gpuMemoryService: {mode: IntraPod, extraClientContainers: [log]}
      failover: {mode: IntraPod}
      grove: {forceScalingGroup: true}
    podTemplate:
      metadata: {annotations: {a: b}}
      spec:
        nodeSelector: {pool: gpu}
        tolerations: [{key: gpu}]
        initContainers: [{name: setup, image: i}]
        containers:
        - {name: log, image: l, env: [{name: X, value: v}]}
        - name: main
          image: m
          args: [a, b]
          envFrom: [{secretRef: {name: hf}}]
          env: [{name: A, value: "1"}, {name: B, value: "2"}, {name: A, value: "3"}]
          resources:
            limits: {cpu: "2", nvidia.com/gpu: "1", rdma/ib: "1"}
            requests: {memory: 1Gi}
          livenessProbe: {httpGet: {path: /, port: 80}}
          startupProbe: {httpGet: {path: /, port: 80}}
          volumeMounts: [{name: data, mountPath: /a}, {name: data, mountPath: /b}]
  - name: Frontend
    type: frontend
    scalingAdapter: {}
)";

constexpr std::string_view kAlphaGraph = R"(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: g}
spec:
  pvcs: [{name: cache}]
  services:
    Worker:
      componentType: worker
      subComponentType: prefill
      autoscaling: {enabled: true}
      sharedMemory: {size: 1Gi}
      envs: [{name: A, value: "1"}]
      resources: {limits: {gpu: "1", custom: {rdma/ib: "1"}}}
      frontendSidecar: {image: f, envs: [{name: S, value: t}]}
      extraPodSpec:
        containers: [{name: log, image: l}]
        mainContainer: {image: m, env: [{name: B, value: "2"}], resources: {limits: {cpu: "1"}}}
    Frontend: {componentType: frontend}
)";

struct PathCase {
  std::string_view alpha;
  std::string_view beta;
};
void PrintTo(const PathCase& test, std::ostream* out) {
  *out << test.alpha << " and " << test.beta;
}

class BetaPathTest : public testing::TestWithParam<PathCase> {};

TEST_P(BetaPathTest, NamesSameFieldInBothVersions) {
  const BothVersions graph(kBetaGraph);
  EXPECT_EQ(graph.path(GetParam().alpha, Version::kV1beta1), GetParam().beta);
  EXPECT_EQ(graph.path(GetParam().beta, Version::kV1alpha1), GetParam().alpha);
}

INSTANTIATE_TEST_SUITE_P(
    Fields, BetaPathTest,
    testing::Values(
        PathCase{"metadata.name", "metadata.name"}, PathCase{"spec", "spec"},
        PathCase{"spec.envs[0].value", "spec.env[0].value"},
        PathCase{"spec.topologyConstraint.topologyProfile",
                 "spec.topologyConstraint.clusterTopologyName"},
        PathCase{"spec.topologyConstraint.packDomain", "spec.topologyConstraint.packDomain"},
        PathCase{"spec.services", "spec.components"},
        PathCase{"spec.services[Frontend]", "spec.components[1]"},
        PathCase{"spec.services[Frontend].replicas", "spec.components[1].replicas"},
        PathCase{"spec.services[Frontend].scalingAdapter", "spec.components[1].scalingAdapter"},
        PathCase{"spec.services[Worker].componentType", "spec.components[0].type"},
        PathCase{"spec.services[Worker].sharedMemory", "spec.components[0].sharedMemorySize"},
        PathCase{"spec.services[Worker].volumeMounts[0].mountPoint",
                 "spec.components[0].compilationCache.mountPath"},
        PathCase{"spec.services[Worker].volumeMounts[0].name",
                 "spec.components[0].compilationCache.pvcName"},
        PathCase{"spec.services[Worker].volumeMounts[0]", "spec.components[0].compilationCache"},
        PathCase{"spec.services[Worker].volumeMounts[2].mountPoint",
                 "spec.components[0].podTemplate.spec.containers[1].volumeMounts[1].mountPath"},
        PathCase{"spec.services[Worker].volumeMounts[1].name",
                 "spec.components[0].podTemplate.spec.containers[1].volumeMounts[0].name"},
        PathCase{"spec.services[Worker].gpuMemoryService.extraClientContainers[0]",
                 "spec.components[0].experimental.gpuMemoryService.extraClientContainers[0]"},
        PathCase{"spec.services[Worker].failover.mode",
                 "spec.components[0].experimental.failover.mode"},
        PathCase{"spec.services[Worker].extraPodMetadata.annotations[a]",
                 "spec.components[0].podTemplate.metadata.annotations[a]"},
        PathCase{"spec.services[Worker].extraPodSpec.nodeSelector[pool]",
                 "spec.components[0].podTemplate.spec.nodeSelector[pool]"},
        PathCase{"spec.services[Worker].extraPodSpec.tolerations[0].key",
                 "spec.components[0].podTemplate.spec.tolerations[0].key"},
        PathCase{"spec.services[Worker].extraPodSpec.initContainers[0].image",
                 "spec.components[0].podTemplate.spec.initContainers[0].image"},
        PathCase{"spec.services[Worker].extraPodSpec.containers[0].env[0]",
                 "spec.components[0].podTemplate.spec.containers[0].env[0]"},
        PathCase{"spec.services[Worker].extraPodSpec.mainContainer",
                 "spec.components[0].podTemplate.spec.containers[1]"},
        PathCase{"spec.services[Worker].extraPodSpec.mainContainer.image",
                 "spec.components[0].podTemplate.spec.containers[1].image"},
        PathCase{"spec.services[Worker].extraPodSpec.mainContainer.args[1]",
                 "spec.components[0].podTemplate.spec.containers[1].args[1]"},
        PathCase{"spec.services[Worker].extraPodSpec.mainContainer.envFrom[0]",
                 "spec.components[0].podTemplate.spec.containers[1].envFrom[0]"},
        PathCase{"spec.services[Worker].extraPodSpec.mainContainer.startupProbe.httpGet.port",
                 "spec.components[0].podTemplate.spec.containers[1].startupProbe.httpGet.port"},
        PathCase{"spec.services[Worker].livenessProbe.httpGet.port",
                 "spec.components[0].podTemplate.spec.containers[1].livenessProbe.httpGet.port"},
        PathCase{"spec.services[Worker].envs[1].value",
                 "spec.components[0].podTemplate.spec.containers[1].env[1].value"},
        PathCase{"spec.services[Worker].envs[2]",
                 "spec.components[0].podTemplate.spec.containers[1].env[2]"},
        PathCase{"spec.services[Worker].resources.limits.gpu",
                 "spec.components[0].podTemplate.spec.containers[1].resources.limits"
                 "[nvidia.com/gpu]"},
        PathCase{"spec.services[Worker].resources.limits.custom[rdma/ib]",
                 "spec.components[0].podTemplate.spec.containers[1].resources.limits[rdma/ib]"},
        PathCase{"spec.services[Worker].resources.requests.memory",
                 "spec.components[0].podTemplate.spec.containers[1].resources.requests[memory]"},
        PathCase{"spec.services[Worker].resources.limits",
                 "spec.components[0].podTemplate.spec.containers[1].resources.limits"}));

class AlphaPathTest : public testing::TestWithParam<PathCase> {};

TEST_P(AlphaPathTest, NamesSameFieldInBothVersions) {
  const BothVersions graph(kAlphaGraph);
  EXPECT_EQ(graph.path(GetParam().alpha, Version::kV1beta1), GetParam().beta);
  EXPECT_EQ(graph.path(GetParam().beta, Version::kV1alpha1), GetParam().alpha);
}

// Components have the order of their names.
INSTANTIATE_TEST_SUITE_P(
    Fields, AlphaPathTest,
    testing::Values(
        PathCase{"spec.services[Worker].componentType", "spec.components[1].type"},
        PathCase{"spec.services[Worker].extraPodSpec.mainContainer.image",
                 "spec.components[1].podTemplate.spec.containers[0].image"},
        PathCase{"spec.services[Worker].extraPodSpec.containers[0].image",
                 "spec.components[1].podTemplate.spec.containers[1].image"},
        PathCase{"spec.services[Worker].frontendSidecar.image",
                 "spec.components[1].podTemplate.spec.containers[2].image"},
        PathCase{"spec.services[Worker].frontendSidecar.envs[0]",
                 "spec.components[1].podTemplate.spec.containers[2].env[0]"},
        PathCase{"spec.services[Worker].envs[0]",
                 "spec.components[1].podTemplate.spec.containers[0].env[0]"},
        PathCase{"spec.services[Worker].extraPodSpec.mainContainer.env[0]",
                 "spec.components[1].podTemplate.spec.containers[0].env[1]"},
        PathCase{"spec.services[Worker].resources.limits.gpu",
                 "spec.components[1].podTemplate.spec.containers[0].resources.limits"
                 "[nvidia.com/gpu]"},
        PathCase{"spec.services[Worker].extraPodSpec.mainContainer.resources.limits[cpu]",
                 "spec.components[1].podTemplate.spec.containers[0].resources.limits[cpu]"}));

TEST(FieldPaths, MissingFieldsBecomeTheirParent) {
  const BothVersions alpha(kAlphaGraph);
  EXPECT_EQ(alpha.path("spec.pvcs[0].name", Version::kV1beta1), "spec");
  EXPECT_EQ(alpha.path("spec.services[Worker].autoscaling.enabled", Version::kV1beta1),
            "spec.components[1]");
  EXPECT_EQ(alpha.path("spec.services[Worker].sharedMemory.size", Version::kV1beta1),
            "spec.components[1].sharedMemorySize");
  EXPECT_EQ(alpha.path("spec.services[Worker].subComponentType", Version::kV1beta1),
            "spec.components[1].type");
  EXPECT_EQ(alpha.path("spec.services[Missing].replicas", Version::kV1beta1), "spec.components");
  EXPECT_EQ(
      alpha.path("spec.services[Frontend].extraPodSpec.mainContainer.image", Version::kV1beta1),
      "spec.components[0].podTemplate.spec.containers");
  const BothVersions beta(kBetaGraph);
  EXPECT_EQ(beta.path("spec.services[Worker].resources.requests.cpu", Version::kV1beta1),
            "spec.components[0].podTemplate.spec.containers[1].resources.requests[cpu]");
  EXPECT_EQ(
      beta.path("spec.components[0].experimental.grove.forceScalingGroup", Version::kV1alpha1),
      "spec.services[Worker]");
  EXPECT_EQ(beta.path("spec.components[0].name", Version::kV1alpha1), "spec.services[Worker]");
  EXPECT_EQ(beta.path("spec.components[7].replicas", Version::kV1alpha1), "spec.services");
}

TEST(FieldPaths, UnusualTextsAreNoDefect) {
  const BothVersions graph(kBetaGraph);
  for (const std::string_view path :
       {"", ".", "[", "[]", "spec.", "spec[", "spec.components[", "spec.components[x].y",
        "spec.components[99999999999999999999]", "spec..components[0]", "unknown.field"}) {
    EXPECT_LE(graph.path(path, Version::kV1alpha1).size(), 100U);
    EXPECT_LE(graph.path(path, Version::kV1beta1).size(), 100U);
  }
  EXPECT_EQ(
      graph.path("spec.components[0].podTemplate.metadata.annotations[a].b].c", Version::kV1alpha1),
      "spec.services[Worker].extraPodMetadata.annotations[a]");
}

TEST(FieldPaths, ComponentDeploymentHasComponentInSpec) {
  const BothVersions component(R"(
apiVersion: nvidia.com/v1beta1
kind: DynamoComponentDeployment
metadata: {name: c}
spec:
  name: Worker
  podTemplate: {spec: {containers: [{name: main, image: m, env: [{name: A, value: x}]}]}}
)");
  EXPECT_EQ(component.path("spec.envs[0]", Version::kV1beta1),
            "spec.podTemplate.spec.containers[0].env[0]");
  EXPECT_EQ(component.path("spec.name", Version::kV1alpha1), "spec.serviceName");
  EXPECT_EQ(component.path("spec.backendFramework", Version::kV1alpha1), "spec.backendFramework");
  EXPECT_EQ(component.path("spec.podTemplate.spec.containers[0].image", Version::kV1alpha1),
            "spec.extraPodSpec.mainContainer.image");
}

TEST(FieldPaths, RequestSettingsMoveToFields) {
  const BothVersions request(R"(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata: {name: r}
spec:
  model: m
  backend: vllm
  useMocker: true
  profilingConfig:
    profilerImage: p
    resources: {limits: {cpu: "1"}}
    config:
      sla: {ttft: 10, isl: 100}
      deployment: {modelCache: {pvcName: c, modelPathInPvc: m}}
      sweep: {x: 1}
)");
  const PathCase cases[] = {
      {"spec.model", "spec.model"},
      {"spec.useMocker", "spec.features.mocker.enabled"},
      {"spec.profilingConfig.profilerImage", "spec.image"},
      {"spec.profilingConfig.config.sla.ttft", "spec.sla.ttft"},
      {"spec.profilingConfig.config.sla.isl", "spec.workload.isl"},
      {"spec.profilingConfig.config.deployment.modelCache.modelPathInPvc",
       "spec.modelCache.pvcModelPath"},
      {"spec.profilingConfig.resources.limits[cpu]",
       "spec.overrides.profilingJob.template.spec.containers[0].resources.limits[cpu]"}};
  for (const auto& [alpha, beta] : cases) {
    EXPECT_EQ(request.path(alpha, Version::kV1beta1), beta);
    EXPECT_EQ(request.path(beta, Version::kV1alpha1), alpha);
  }
  EXPECT_EQ(request.path("spec.profilingConfig.config.sweep.x", Version::kV1beta1), "spec");
  EXPECT_EQ(request.path("spec.hardware", Version::kV1alpha1), "spec");
}

TEST(FieldPaths, PathShowsItsVersion) {
  using conversion::version_of_field_path;
  EXPECT_EQ(version_of_field_path("spec.services[A].replicas", "DynamoGraphDeployment"),
            Version::kV1alpha1);
  EXPECT_EQ(version_of_field_path("spec.components[0]", "DynamoGraphDeployment"),
            Version::kV1beta1);
  EXPECT_EQ(version_of_field_path("metadata.name", "DynamoGraphDeployment"), Version::kV1beta1);
  EXPECT_EQ(version_of_field_path("spec.ingress.host", "DynamoComponentDeployment"),
            Version::kV1alpha1);
  EXPECT_EQ(version_of_field_path("spec.source", "DynamoModel"), Version::kV1alpha1);
}

TEST(FieldPaths, KeptFieldShowsItsAnnotation) {
  const BothVersions graph(kAlphaGraph);
  EXPECT_EQ(graph.annotation("spec.pvcs[0].name"), "nvidia.com/dgd-spec");
  EXPECT_EQ(graph.annotation("spec.services[Worker].autoscaling.enabled"), "nvidia.com/dgd-spec");
  for (const std::string_view path :
       {"metadata.name", "spec", "spec.services[Worker]", "spec.services[Worker].envs[0]",
        "spec.services[Worker].ingress.host", "spec.services[Missing].labels"}) {
    EXPECT_EQ(graph.annotation(path), "") << path;
  }
  const BothVersions request(R"(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeploymentRequest
metadata: {name: r}
spec: {model: m, profilingConfig: {config: {sla: {ttft: 10, extra: x}, sweep: {x: 1}}}}
)");
  EXPECT_EQ(request.annotation("spec.profilingConfig.config.sla.ttft"), "");
  EXPECT_EQ(request.annotation("spec.profilingConfig.config.sla[extra]"), "nvidia.com/dgdr-spec");
  EXPECT_EQ(request.annotation("spec.profilingConfig.config.sweep.x"), "nvidia.com/dgdr-spec");
}

TEST(FieldPaths, ItemsWithoutNameKeepTheirPlace) {
  const BothVersions graph(R"(
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: g}
spec:
  components:
  - name: Worker
    podTemplate:
      spec:
        containers: [{name: main, volumeMounts: [{mountPath: /a}, {mountPath: /b}]}, null]
  -
)");
  EXPECT_EQ(graph.path("spec.services[]", Version::kV1beta1), "spec.components[1]");
  EXPECT_EQ(graph.path("spec.services[].componentType", Version::kV1beta1),
            "spec.components[1].type");
  EXPECT_EQ(graph.path("spec.services[Worker].extraPodSpec.containers[0].image", Version::kV1beta1),
            "spec.components[0].podTemplate.spec.containers[1].image");
  EXPECT_EQ(graph.path("spec.services[Worker].volumeMounts[1].mountPoint", Version::kV1beta1),
            "spec.components[0].podTemplate.spec.containers[0].volumeMounts[1].mountPath");
}

TEST(FieldPaths, KindWithOneVersionKeepsPath) {
  EXPECT_EQ(
      conversion::convert_field_path("spec.source.uri", {"DynamoModel", {}, {}}, Version::kV1beta1),
      "spec.source.uri");
}

}  // namespace
}  // namespace dynamo::test
