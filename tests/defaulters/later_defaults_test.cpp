#include "defaulters/later_defaults.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "tests/support/objects.hpp"

namespace dynamo::defaulters {
namespace {

using api::Fact;
using api::Kind;
using api::Operation;

struct LaterCase {
  std::string_view name;
  Kind kind;
  Operation operation;
  Fact grove;
  std::string_view object;
  std::string_view patch;
  std::string_view old = "{}";
  std::string_view version = "1.5.0";
  std::string_view request_image = "";
  api::Version api_version = api::Version::kV1beta1;
};
void PrintTo(const LaterCase& test, std::ostream* out) {
  *out << test.name;
}

std::string patch_for(const LaterCase& test, json::Value object) {
  const api::Settings settings{.operator_version = std::string(test.version),
                               .operator_service_account = {},
                               .restricted_namespace = "",
                               .default_request_image = std::string(test.request_image)};
  const api::ClusterFacts facts{.grove_served = test.grove};
  const json::Document old = test::from_yaml(test.old);
  const api::Context context{.kind = test.kind,
                             .operation = test.operation,
                             .namespace_name = "default",
                             .object_name = "example",
                             .user = "jane",
                             .sub_resource = {},
                             .settings = settings,
                             .facts = facts,
                             .version = test.api_version};
  json::PatchWriter patch;
  apply_later_defaults(context, object, old.root(), patch);
  return std::string(patch.text());
}

class LaterDefaultsTest : public testing::TestWithParam<LaterCase> {};

TEST_P(LaterDefaultsTest, PatchIsMinimal) {
  const json::Document object = test::from_yaml(GetParam().object);
  EXPECT_EQ(patch_for(GetParam(), object.root()), GetParam().patch);
}

TEST_P(LaterDefaultsTest, SecondRunAddsNothing) {
  const json::Document object = test::from_yaml(GetParam().object);
  const auto patch = json::parse_copy(patch_for(GetParam(), object.root()));
  json::Document once;
  ASSERT_EQ(json::apply_patch(object.root(), patch->root(), once), std::nullopt);
  EXPECT_EQ(patch_for(GetParam(), once.root()), "[]");
}

constexpr auto kGraph = Kind::kGraphDeployment;
constexpr auto kCreate = Operation::kCreate;
constexpr auto kUpdate = Operation::kUpdate;

INSTANTIATE_TEST_SUITE_P(
    Graphs, LaterDefaultsTest,
    testing::Values(
        LaterCase{"provider_and_origin_version", kGraph, kCreate, Fact::kNo,
                  "{metadata: {name: g}, spec: {components: [{name: A, replicas: 1}]}}",
                  R"([{"op":"add","path":"/metadata/annotations","value":)"
                  R"({"nvidia.com/workload-provider":"component"}},)"
                  R"({"op":"add","path":"/metadata/annotations/)"
                  R"(nvidia.com~1dynamo-operator-origin-version","value":"1.5.0"}])"},
        LaterCase{
            "grove_sets_min_available", kGraph, kCreate, Fact::kYes,
            "{metadata: {name: g, annotations: {nvidia.com/workload-provider: component, "
            "nvidia.com/dynamo-operator-origin-version: ''}}, spec: {components: [{name: A}]}}",
            R"([{"op":"add","path":"/metadata/annotations/nvidia.com~1workload-provider",)"
            R"("value":"grove"},{"op":"add","path":"/spec/components/0/replicas","value":1},)"
            R"({"op":"add","path":"/spec/components/0/minAvailable","value":1}])"},
        LaterCase{"switched_off_grove", kGraph, kCreate, Fact::kUnknown,
                  "{metadata: {name: g, annotations: {nvidia.com/enable-grove: 'False', "
                  "nvidia.com/dynamo-operator-origin-version: ''}}, spec: {components: []}}",
                  R"([{"op":"add","path":"/metadata/annotations/nvidia.com~1workload-provider",)"
                  R"("value":"component"}])"},
        LaterCase{"unknown_cluster", kGraph, kCreate, Fact::kUnknown,
                  "{metadata: {name: g, annotations: {nvidia.com/dynamo-operator-origin-version: "
                  "''}}, spec: {components: [{name: A, replicas: 0}]}}",
                  "[]"},
        LaterCase{
            "targets_of_overrides", kGraph, kUpdate, Fact::kYes,
            "{metadata: {name: g, annotations: {nvidia.com/workload-provider: grove}}, spec: "
            "{providerOverride: {apiVersion: grove.io/v1alpha1}, components: [{name: A, "
            "replicas: 1, minAvailable: 1, providerOverride: {apiVersion: grove.io/v1alpha1, "
            "target: ''}, multinode: {nodeCount: 2, leader: {providerOverride: {apiVersion: "
            "grove.io/v1alpha1}}}}, {name: B, replicas: 1, minAvailable: 1, providerOverride: "
            "{apiVersion: grove.io/v1alpha1}}, {name: C, replicas: 1, minAvailable: 1, "
            "providerOverride: {apiVersion: other/v1}}]}}",
            R"([{"op":"add","path":"/spec/providerOverride/target","value":"PodCliqueSet"},)"
            R"({"op":"add","path":"/spec/components/0/providerOverride/target","value":)"
            R"("PodCliqueScalingGroupConfig"},)"
            R"({"op":"add","path":"/spec/components/0/multinode/leader/providerOverride/)"
            R"(target","value":"PodCliqueTemplateSpec"},)"
            R"({"op":"add","path":"/spec/components/1/providerOverride/target","value":)"
            R"("PodCliqueTemplateSpec"}])"},
        LaterCase{"target_in_a_forced_group", kGraph, kUpdate, Fact::kYes,
                  "{metadata: {name: g, annotations: {nvidia.com/workload-provider: grove}}, "
                  "spec: {components: [{name: A, replicas: 1, minAvailable: 1, "
                  "experimental: {grove: {forceScalingGroup: true}}, providerOverride: "
                  "{apiVersion: grove.io/v1alpha1}}]}}",
                  R"([{"op":"add","path":"/spec/components/0/providerOverride/target","value":)"
                  R"("PodCliqueScalingGroupConfig"}])"},
        LaterCase{"update_without_provider", kGraph, kUpdate, Fact::kYes,
                  "{metadata: {name: g}, spec: {components: [{name: A}]}}",
                  R"([{"op":"add","path":"/spec/components/0/replicas","value":1}])"},
        LaterCase{"count_of_scaling_adapter", kGraph, kUpdate, Fact::kNo,
                  "{metadata: {name: g}, spec: {components: [{name: A, scalingAdapter: {}}]}}",
                  R"([{"op":"add","path":"/spec/components/0/replicas","value":5}])",
                  "{spec: {components: [{name: B}, {name: A, replicas: 5}]}}"},
        LaterCase{"components_of_wrong_type", kGraph, kCreate, Fact::kUnknown,
                  "{metadata: [], spec: {components: {A: {}}}}", "[]"}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Others, LaterDefaultsTest,
    testing::Values(
        LaterCase{"component_name", Kind::kComponentDeployment, kCreate, Fact::kNo,
                  "{metadata: {name: c}, spec: {}}",
                  R"([{"op":"add","path":"/spec/name","value":"c"}])"},
        LaterCase{"generated_component_name", Kind::kComponentDeployment, kCreate, Fact::kNo,
                  "{metadata: {generateName: c}, spec: {}}", "[]"},
        LaterCase{"component_name_on_update", Kind::kComponentDeployment, kUpdate, Fact::kNo,
                  "{metadata: {name: c}, spec: {}}", "[]"},
        LaterCase{"image_of_request", Kind::kGraphDeploymentRequest, kCreate, Fact::kNo,
                  "{metadata: {name: r}, spec: {model: m}}",
                  R"([{"op":"add","path":"/spec/image","value":)"
                  R"("nvcr.io/nvidia/ai-dynamo/dynamo-planner:1.5.0-rc.1"}])",
                  "{}", "v1.5-rc.1+build.7"},
        LaterCase{"image_of_unknown_operator", Kind::kGraphDeploymentRequest, kCreate, Fact::kNo,
                  "{metadata: {name: r}, spec: {}}", "[]", "{}", "0.0.0-unknown"},
        LaterCase{"configured_image", Kind::kGraphDeploymentRequest, kCreate, Fact::kNo,
                  "{metadata: {name: r}, spec: {image: ''}}",
                  R"([{"op":"add","path":"/spec/image","value":"r/p:1"}])", "{}", "0.0.0-unknown",
                  "r/p:1"},
        LaterCase{"given_image", Kind::kGraphDeploymentRequest, kCreate, Fact::kNo,
                  "{metadata: {name: r}, spec: {image: i}}", "[]"},
        LaterCase{"request_on_delete", Kind::kGraphDeploymentRequest, Operation::kDelete, Fact::kNo,
                  "{metadata: {name: r}, spec: {}}", "[]"},
        LaterCase{"model", Kind::kModel, kCreate, Fact::kNo, "{metadata: {name: m}}", "[]"}),
    [](const auto& test) { return std::string(test.param.name); });

LaterCase alpha(LaterCase test) {
  test.api_version = api::Version::kV1alpha1;
  return test;
}

INSTANTIATE_TEST_SUITE_P(
    Alpha, LaterDefaultsTest,
    testing::Values(
        alpha({"alpha_provider_is_overwritten", kGraph, kCreate, Fact::kYes,
               "{metadata: {name: g, annotations: {nvidia.com/workload-provider: component, "
               "nvidia.com/dynamo-operator-origin-version: ''}}, spec: {services: {A/B: {}}}}",
               R"([{"op":"add","path":"/metadata/annotations/nvidia.com~1workload-provider",)"
               R"("value":"grove"},{"op":"add","path":"/spec/services/A~1B/replicas","value":1},)"
               R"({"op":"add","path":"/spec/services/A~1B/minAvailable","value":1}])"}),
        alpha({"alpha_targets_of_overrides", kGraph, kUpdate, Fact::kYes,
               "{metadata: {name: g, annotations: {nvidia.com/workload-provider: grove}}, spec: "
               "{providerOverride: {apiVersion: grove.io/v1alpha1}, services: {A: {replicas: 1, "
               "minAvailable: 1, providerOverride: {apiVersion: grove.io/v1alpha1}, "
               "gpuMemoryService: {enabled: true, mode: interPod}}, B: {replicas: 1, minAvailable: "
               "1, providerOverride: {apiVersion: grove.io/v1alpha1}, gpuMemoryService: {enabled: "
               "false, mode: interPod}}}}}",
               R"([{"op":"add","path":"/spec/providerOverride/target","value":"PodCliqueSet"},)"
               R"({"op":"add","path":"/spec/services/A/providerOverride/target","value":)"
               R"("PodCliqueScalingGroupConfig"},)"
               R"({"op":"add","path":"/spec/services/B/providerOverride/target","value":)"
               R"("PodCliqueTemplateSpec"}])"}),
        alpha({"alpha_count_of_scaling_adapter", kGraph, kUpdate, Fact::kNo,
               "{metadata: {name: g}, spec: {services: {A: {scalingAdapter: {enabled: true}}, B: "
               "{scalingAdapter: {enabled: false}}}}}",
               R"([{"op":"add","path":"/spec/services/A/replicas","value":5},)"
               R"({"op":"add","path":"/spec/services/B/replicas","value":1}])",
               "{spec: {services: {A: {replicas: 5}, B: {replicas: 6}}}}"}),
        alpha({"alpha_component_is_unnamed", Kind::kComponentDeployment, kCreate, Fact::kNo,
               "{metadata: {name: c}, spec: {}}", "[]"}),
        alpha({"alpha_image_of_request", Kind::kGraphDeploymentRequest, kCreate, Fact::kNo,
               "{metadata: {name: r}, spec: {profilingConfig: {profilerImage: ''}}}",
               R"([{"op":"add","path":"/spec/profilingConfig/profilerImage","value":"r/p:1"}])",
               "{}", "1.5.0", "r/p:1"}),
        alpha({"alpha_request_with_image_of_workers", Kind::kGraphDeploymentRequest, kCreate,
               Fact::kNo,
               "{metadata: {name: r}, spec: {profilingConfig: {}, deploymentOverrides: "
               "{workersImage: w}}}",
               "[]"})),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace dynamo::defaulters
