// Fields, enums and defaults that the later generation's versions do not share with the first one.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/schema/validation_helpers.hpp"

namespace dynamo::test {
namespace {

using enum api::ErrorType;

constexpr const char* kGraphKind = "DynamoGraphDeployment";
constexpr const char* kComponentKind = "DynamoComponentDeployment";
constexpr const char* kRequestKind = "DynamoGraphDeploymentRequest";

TEST(LaterSchema, AcceptsCompleteGraphsOfBothVersions) {
  EXPECT_EQ(
      validate_later_spec(kGraphKind, "v1beta1",
                          "{backendFramework: vllm, env: [{name: A, value: b}], components: "
                          "[{name: Frontend, type: frontend, podTemplate: {spec: {containers: "
                          "[{name: main, image: a:1.5.0}]}}}, {name: Decode, type: decode, "
                          "replicas: 2, multinode: {}, sharedMemorySize: 16Gi, scalingAdapter: "
                          "{}, topologyConstraint: {packDomain: rack}}], topologyConstraint: "
                          "{clusterTopologyName: a, packDomain: zone}}"),
      std::vector<Finding>{});
  EXPECT_EQ(validate_later_spec(kGraphKind, "v1alpha1",
                                "{services: {A: {componentType: worker, failover: {enabled: true}, "
                                "frontendSidecar: {image: a}, runtimeVersionOverride: 1.5.0, "
                                "multinode: {leader: {providerOverride: {apiVersion: a, value: "
                                "{}}}}}}, topologyConstraint: {topologyProfile: a}}"),
            std::vector<Finding>{});
}

TEST(LaterSchema, AcceptsObjectsWithoutSpec) {
  EXPECT_EQ(validate_later_spec(kRequestKind, "v1beta1", "null"), std::vector<Finding>{});
}

// A spec with a single finding.
struct BadSpec {
  const char* version;
  const char* kind;
  const char* spec;
  Finding finding;
};

void PrintTo(const BadSpec& row, std::ostream* out) {
  *out << row.version << ' ' << row.kind << ' ' << row.spec;
}

class LaterFieldTest : public testing::TestWithParam<BadSpec> {};

TEST_P(LaterFieldTest, ReportsTheField) {
  EXPECT_EQ(validate_later_spec(GetParam().kind, GetParam().version, GetParam().spec),
            std::vector<Finding>{GetParam().finding});
}

INSTANTIATE_TEST_SUITE_P(
    Of, LaterFieldTest,
    testing::Values(
        BadSpec{"v1beta1",
                kGraphKind,
                "{services: {}}",
                {kInvalid, "spec.services", "schema.unknown-field"}},
        BadSpec{"v1beta1",
                kGraphKind,
                "{components: [{type: worker}]}",
                {kRequired, "spec.components[0].name", "schema.required"}},
        BadSpec{"v1beta1",
                kGraphKind,
                "{components: [{name: a_b}]}",
                {kInvalid, "spec.components[0].name", "schema.pattern"}},
        BadSpec{"v1beta1",
                kGraphKind,
                "{components: [{name: a, type: router}]}",
                {kNotSupported, "spec.components[0].type", "schema.enum"}},
        BadSpec{"v1beta1",
                kGraphKind,
                "{components: [{name: a}, {name: b, replicas: -1}]}",
                {kInvalid, "spec.components[1].replicas", "schema.minimum"}},
        BadSpec{"v1beta1",
                kComponentKind,
                "{providerOverride: {apiVersion: a, value: {}}}",
                {kInvalid, "spec.providerOverride", "schema.unknown-field"}},
        BadSpec{"v1beta1",
                kComponentKind,
                "{experimental: {failover: {numShadows: 2}}}",
                {kInvalid, "spec.experimental.failover.numShadows", "schema.maximum"}},
        BadSpec{"v1beta1",
                kComponentKind,
                "{experimental: {gpuMemoryService: {mode: intraPod}}}",
                {kNotSupported, "spec.experimental.gpuMemoryService.mode", "schema.enum"}},
        BadSpec{"v1beta1",
                kComponentKind,
                "{experimental: {checkpoint: {}}}",
                {kRequired, "spec.experimental.checkpoint.enabled", "schema.required"}},
        BadSpec{"v1beta1",
                kComponentKind,
                "{runtimeVersionOverride: 1.5}",
                {kTypeInvalid, "spec.runtimeVersionOverride", "schema.type"}},
        BadSpec{"v1beta1",
                kComponentKind,
                "{runtimeVersionOverride: v1.5.0}",
                {kInvalid, "spec.runtimeVersionOverride", "schema.pattern"}},
        BadSpec{"v1beta1",
                kRequestKind,
                "{backend: vllm}",
                {kRequired, "spec.model", "schema.required"}},
        BadSpec{"v1beta1", kRequestKind, "{model: ''}", {kInvalid, "spec.model", "schema.length"}},
        BadSpec{"v1beta1",
                kRequestKind,
                "{model: m, backend: x}",
                {kNotSupported, "spec.backend", "schema.enum"}},
        BadSpec{"v1beta1",
                kRequestKind,
                "{model: m, searchStrategy: x}",
                {kNotSupported, "spec.searchStrategy", "schema.enum"}},
        BadSpec{"v1beta1",
                "DynamoGraphDeploymentScalingAdapter",
                "{replicas: 1, dgdRef: {name: a, serviceName: b, componentName: b}}",
                {kInvalid, "spec.dgdRef.serviceName", "schema.unknown-field"}},
        BadSpec{"v1alpha1",
                kComponentKind,
                "{gpuMemoryService: {enabled: true, mode: IntraPod}}",
                {kNotSupported, "spec.gpuMemoryService.mode", "schema.enum"}},
        BadSpec{"v1alpha1",
                kComponentKind,
                "{failover: {enabled: true, numShadows: 0}}",
                {kInvalid, "spec.failover.numShadows", "schema.minimum"}},
        BadSpec{
            "v1alpha1",
            kGraphKind,
            "{topologyConstraint: {clusterTopologyName: a, "
            "topologyProfile: a}}",
            {kInvalid, "spec.topologyConstraint.clusterTopologyName", "schema.unknown-field"}}));

TEST(LaterSchema, SetsTheDefaultsOfV1beta1) {
  EXPECT_EQ(completed_later_spec(kRequestKind, "v1beta1", "{model: a, workload: {}}"),
            R"({"model":"a","workload":{"isl":4000,"osl":1000},"autoApply":true,)"
            R"("backend":"auto","searchStrategy":"rapid"})");
  EXPECT_EQ(completed_later_spec(kComponentKind, "v1beta1",
                                 "{multinode: {}, experimental: {gpuMemoryService: {}, failover: "
                                 "{}, checkpoint: {enabled: true}}}"),
            R"({"multinode":{"nodeCount":2},"experimental":{"gpuMemoryService":)"
            R"({"deviceClassName":"gpu.nvidia.com","mode":"IntraPod"},"failover":)"
            R"({"mode":"IntraPod","numShadows":1},"checkpoint":{"enabled":true,)"
            R"("deletionPolicy":"Delete","startupPolicy":"Immediate",)"
            R"("targetContainerName":"main"}}})");
}

TEST(LaterSchema, SetsTheDefaultsOfV1alpha1) {
  EXPECT_EQ(completed_later_spec(kComponentKind, "v1alpha1",
                                 "{gpuMemoryService: {enabled: true}, checkpoint: {}}"),
            R"({"gpuMemoryService":{"enabled":true,"deviceClassName":"gpu.nvidia.com",)"
            R"("mode":"intraPod"},"checkpoint":{"deletionPolicy":"Delete","enabled":false,)"
            R"("startupPolicy":"Immediate","targetContainerName":"main"}})");
  EXPECT_EQ(completed_later_spec(kRequestKind, "v1alpha1",
                                 "{model: a, backend: auto, profilingConfig: {profilerImage: b}}"),
            R"({"model":"a","backend":"auto","profilingConfig":{"profilerImage":"b"},)"
            R"("autoApply":false,"enableGpuDiscovery":true,"useMocker":false})");
}

TEST(LaterSchema, KeepsSettingsOfAnyTypeInPickerPlugins) {
  EXPECT_EQ(validate_later_spec(kComponentKind, "v1beta1",
                                "{type: epp, eppConfig: {config: {schedulingProfiles: [], plugins: "
                                "[{type: a, parameters: {b: [1]}}, {type: b, parameters: c}]}}}"),
            std::vector<Finding>{});
}

}  // namespace
}  // namespace dynamo::test
