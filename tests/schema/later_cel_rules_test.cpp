// The x-kubernetes-validations rules of the later generation, in both of its versions.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/schema/validation_helpers.hpp"

namespace dynamo::test {
namespace {

constexpr const char* kAlpha = "v1alpha1";
constexpr const char* kBeta = "v1beta1";
constexpr const char* kGraph = "DynamoGraphDeployment";
constexpr const char* kComponent = "DynamoComponentDeployment";
constexpr const char* kCheckpoint = "DynamoCheckpoint";

// An object with this spec, or an update of `old` to it, and the field and id of its only finding.
struct RuleCase {
  const char* version;
  const char* kind;
  const char* spec;
  const char* old;    // null: the object is new
  const char* field;  // null: there is no finding
  const char* rule;   // without "schema.cel."
};

void PrintTo(const RuleCase& row, std::ostream* out) {
  *out << row.version << ' ' << row.kind << ' ' << row.spec;
}

constexpr const char* kService = "spec.services[A]";

// A spec around one part, in each of the places that have it.
const RuleCase kRestart[] = {
    {kBeta, kGraph, "{restart: {id: a}}", nullptr, "spec", "restart-on-create"},
    {kAlpha, kGraph, "{restart: {id: a}}", nullptr, "spec", "restart-on-create"},
    {kBeta, kGraph, "{restart: null}", nullptr, nullptr, ""},
    {kBeta, kGraph, "{restart: {id: a}}", "{}", nullptr, ""},
    {kBeta, kGraph, "{restart: {id: b}}", "{restart: {id: a}}", nullptr, ""},
};

const RuleCase kMinAvailable[] = {
    {kBeta, kGraph, "{components: [{name: a, minAvailable: 2}]}", nullptr, "spec.components[0]",
     "min-available"},
    {kBeta, kGraph, "{components: [{name: a, minAvailable: 3, replicas: 2}]}", nullptr,
     "spec.components[0]", "min-available"},
    {kBeta, kGraph, "{components: [{name: a, minAvailable: 1}]}", nullptr, nullptr, ""},
    {kBeta, kGraph, "{components: [{name: a, minAvailable: 3, replicas: 0}]}", nullptr, nullptr,
     ""},
    {kBeta, kComponent, "{minAvailable: 3, replicas: 3}", nullptr, nullptr, ""},
    {kBeta, kComponent, "{minAvailable: 3, replicas: null}", nullptr, "spec", "min-available"},
    {kAlpha, kComponent, "{minAvailable: 2}", nullptr, "spec", "min-available"},
    {kAlpha, kGraph, "{services: {A: {minAvailable: 2}}}", nullptr, kService, "min-available"},
    // It may be added, but neither changed nor removed.
    {kAlpha, kGraph, "{services: {A: {minAvailable: 1}}}", "{services: {A: {}}}", nullptr, ""},
    {kAlpha, kGraph, "{services: {A: {replicas: 2, minAvailable: 1}}}",
     "{services: {A: {replicas: 2, minAvailable: 2}}}", kService, "min-available-unchanged"},
    {kAlpha, kGraph, "{services: {A: {replicas: 2}}}", "{services: {A: {minAvailable: 1}}}",
     kService, "min-available-unchanged"},
    {kAlpha, kGraph, "{services: {B: {}}}", "{services: {A: {minAvailable: 1}}}", nullptr, ""},
    {kBeta, kGraph, "{components: [{name: b}, {name: a}]}",
     "{components: [{name: a, minAvailable: 1}, {name: b}]}", "spec.components[1]",
     "min-available-unchanged"},
    {kBeta, kComponent, "{replicas: 2}", "{minAvailable: 1}", "spec", "min-available-unchanged"},
    {kBeta, kComponent, "{minAvailable: 1, replicas: 2}", "{minAvailable: 1}", nullptr, ""},
};

const RuleCase kEpp[] = {
    {kBeta, kComponent, "{eppConfig: {configMapRef: {key: a}}}", nullptr, "spec",
     "epp-config-type"},
    {kBeta, kComponent, "{type: worker, eppConfig: {configMapRef: {key: a}}}", nullptr, "spec",
     "epp-config-type"},
    {kBeta, kComponent, "{type: epp, eppConfig: {configMapRef: {key: a}}}", nullptr, nullptr, ""},
    {kBeta, kComponent, "{type: epp, eppConfig: {}}", nullptr, "spec.eppConfig",
     "epp-config-source"},
    {kBeta, kComponent,
     "{type: epp, eppConfig: {configMapRef: {key: a}, config: {plugins: [], schedulingProfiles: "
     "[]}}}",
     nullptr, "spec.eppConfig", "epp-config-source"},
    {kAlpha, kComponent, "{eppConfig: {}}", nullptr, nullptr, ""},
    {kBeta, kGraph, "{components: [{name: a, type: epp}, {name: b, type: epp}]}", nullptr,
     "spec.components", "single-epp"},
    {kBeta, kGraph, "{components: [{name: a, type: epp}, {name: b, type: worker}]}", nullptr,
     nullptr, ""},
};

const RuleCase kNames[] = {
    {kBeta, kGraph, "{components: [{name: Ab}, {name: c}, {name: aB}]}", nullptr, "spec.components",
     "component-names"},
    {kBeta, kGraph, "{components: [{name: a}, {name: b}]}", nullptr, nullptr, ""},
};

const RuleCase kMemoryService[] = {
    {kBeta, kComponent,
     "{experimental: {gpuMemoryService: {mode: InterPod, extraClientContainers: [a]}}}", nullptr,
     "spec.experimental.gpuMemoryService", "gms-client-containers"},
    {kBeta, kComponent, "{experimental: {gpuMemoryService: {extraClientContainers: [a]}}}", nullptr,
     nullptr, ""},
    {kBeta, kComponent,
     "{experimental: {gpuMemoryService: {mode: InterPod, extraClientContainers: []}}}", nullptr,
     nullptr, ""},
    {kBeta, kComponent,
     "{experimental: {gpuMemoryService: {mode: InterPod, extraClientPods: [{name: a, podTemplate: "
     "{}}]}}}",
     nullptr, "spec.experimental.gpuMemoryService", "gms-client-pods-reserved"},
    {kAlpha, kComponent,
     "{gpuMemoryService: {enabled: true, mode: interPod, extraClientContainers: [a]}}", nullptr,
     "spec.gpuMemoryService", "gms-client-containers"},
    {kAlpha, kGraph,
     "{services: {A: {gpuMemoryService: {enabled: true, mode: interPod, extraClientPods: [{name: "
     "a, podTemplate: {}}]}}}}",
     nullptr, "spec.services[A].gpuMemoryService", "gms-client-pods-reserved"},
    {kAlpha, kCheckpoint,
     "{identity: {model: a, backendFramework: vllm}, job: {podTemplateSpec: {}}, "
     "gpuMemoryService: {enabled: true, mode: interPod, extraClientContainers: [a]}}",
     nullptr, "spec.gpuMemoryService", "gms-client-containers"},
};

const RuleCase kCheckpointJob[] = {
    {kBeta, kComponent, "{experimental: {checkpoint: {enabled: true, checkpointRef: a, job: {}}}}",
     nullptr, "spec.experimental.checkpoint", "checkpoint-job"},
    {kBeta, kComponent, "{experimental: {checkpoint: {enabled: true, checkpointRef: '', job: {}}}}",
     nullptr, nullptr, ""},
    {kAlpha, kComponent, "{checkpoint: {checkpointRef: a, job: {}}}", nullptr, "spec.checkpoint",
     "checkpoint-job"},
    // The first generation wants a reference or an identity.
    {kAlpha, kComponent, "{checkpoint: {enabled: true}}", nullptr, nullptr, ""},
    {kAlpha, kCheckpoint,
     "{identity: {model: b, backendFramework: vllm}, job: {podTemplateSpec: {}}}",
     "{identity: {model: a, backendFramework: vllm}, job: {podTemplateSpec: {}}}", "spec.identity",
     "identity-unchanged"},
};

const RuleCase kSharedMemory[] = {
    {kAlpha, kComponent, "{sharedMemory: {}}", nullptr, "spec.sharedMemory", "shared-memory-size"},
    {kAlpha, kComponent, "{sharedMemory: {disabled: true}}", nullptr, nullptr, ""},
    {kAlpha, kComponent, "{sharedMemory: {size: 1Gi}}", nullptr, nullptr, ""},
    {kAlpha, kComponent, "{sharedMemory: {size: 5}}", nullptr, nullptr, ""},
    {kAlpha, kComponent, "{sharedMemory: {size: '0'}}", nullptr, "spec.sharedMemory",
     "shared-memory-size"},
    {kAlpha, kComponent, "{sharedMemory: {size: 0}}", nullptr, "spec.sharedMemory",
     "shared-memory-size"},
    {kAlpha, kComponent, "{sharedMemory: {size: -1Gi}}", nullptr, "spec.sharedMemory",
     "shared-memory-size"},
    {kAlpha, kGraph, "{services: {A: {sharedMemory: {disabled: false}}}}", nullptr,
     "spec.services[A].sharedMemory", "shared-memory-size"},
    {kAlpha, kCheckpoint,
     "{identity: {model: a, backendFramework: vllm}, job: {podTemplateSpec: {}, sharedMemory: {}}}",
     nullptr, "spec.job.sharedMemory", "shared-memory-size"},
    {kBeta, kComponent, "{sharedMemorySize: 0}", nullptr, nullptr, ""},
    {kAlpha, kGraph, "{pvcs: [{name: a, create: true}]}", nullptr, "spec.pvcs[0]",
     "claim-creation"},
};

const RuleCase kPods[] = {
    {kBeta, kComponent, "{podTemplate: {spec: {containers: [{name: main}, {name: a}]}}}", nullptr,
     "spec.podTemplate.spec.containers[1]", "container-image"},
    {kBeta, kComponent, "{podTemplate: {spec: {containers: [{name: a, image: ''}]}}}", nullptr,
     "spec.podTemplate.spec.containers[0]", "container-image"},
    {kBeta, kGraph,
     "{components: [{name: a, podTemplate: {spec: {containers: [], initContainers: [{name: "
     "main}]}}}]}",
     nullptr, "spec.components[0].podTemplate.spec.initContainers[0]", "init-container-image"},
    {kBeta, kComponent,
     "{podTemplate: {spec: {containers: [{name: main}], initContainers: [{name: a, image: b}]}}}",
     nullptr, nullptr, ""},
    {kAlpha, kComponent, "{extraPodSpec: {containers: [{name: a}]}}", nullptr, nullptr, ""},
    {kBeta, kComponent,
     "{podTemplate: {metadata: {annotations: {nvidia.com/vllm-distributed-executor-backend: "
     "dask}}}}",
     nullptr, "spec.podTemplate.metadata.annotations", "executor-backend"},
    {kBeta, kComponent,
     "{podTemplate: {metadata: {annotations: {nvidia.com/vllm-distributed-executor-backend: ''}}}}",
     nullptr, "spec.podTemplate.metadata.annotations", "executor-backend"},
    {kBeta, kComponent,
     "{podTemplate: {metadata: {annotations: {nvidia.com/vllm-distributed-executor-backend: "
     "Ray}}}}",
     nullptr, nullptr, ""},
    {kBeta, kComponent, "{podTemplate: {metadata: {annotations: {a: b}}}}", nullptr, nullptr, ""},
};

const RuleCase kTransfer[] = {
    {kBeta, kGraph, "{experimental: {kvTransferPolicy: {domain: a}}}", nullptr,
     "spec.experimental.kvTransferPolicy", "kv-topology"},
    {kAlpha, kGraph,
     "{experimental: {kvTransferPolicy: {domain: a, labelKey: b, clusterTopologyName: c}}}",
     nullptr, "spec.experimental.kvTransferPolicy", "kv-topology"},
    {kBeta, kGraph,
     "{experimental: {kvTransferPolicy: {domain: a, labelKey: b, enforcement: preferred}}}",
     nullptr, "spec.experimental.kvTransferPolicy", "kv-preferred-weight"},
    {kBeta, kGraph,
     "{experimental: {kvTransferPolicy: {domain: a, labelKey: b, preferredWeight: 0.5}}}", nullptr,
     "spec.experimental.kvTransferPolicy", "kv-weight-enforcement"},
    {kBeta, kGraph,
     "{experimental: {kvTransferPolicy: {domain: a, labelKey: b, enforcement: preferred, "
     "preferredWeight: 1}}}",
     nullptr, nullptr, ""},
};

class LaterRuleTest : public testing::TestWithParam<RuleCase> {};

TEST_P(LaterRuleTest, ReportsFieldAndRule) {
  const RuleCase& row = GetParam();
  std::vector<Finding> wanted;
  if (row.field != nullptr) {
    wanted.push_back({api::ErrorType::kInvalid, row.field, std::string("schema.cel.") + row.rule});
  }
  EXPECT_EQ(validate_later_spec(row.kind, row.version, row.spec, row.old == nullptr ? "" : row.old),
            wanted);
}

INSTANTIATE_TEST_SUITE_P(Restart, LaterRuleTest, testing::ValuesIn(kRestart));
INSTANTIATE_TEST_SUITE_P(MinAvailable, LaterRuleTest, testing::ValuesIn(kMinAvailable));
INSTANTIATE_TEST_SUITE_P(Epp, LaterRuleTest, testing::ValuesIn(kEpp));
INSTANTIATE_TEST_SUITE_P(Names, LaterRuleTest, testing::ValuesIn(kNames));
INSTANTIATE_TEST_SUITE_P(MemoryService, LaterRuleTest, testing::ValuesIn(kMemoryService));
INSTANTIATE_TEST_SUITE_P(CheckpointJob, LaterRuleTest, testing::ValuesIn(kCheckpointJob));
INSTANTIATE_TEST_SUITE_P(SharedMemory, LaterRuleTest, testing::ValuesIn(kSharedMemory));
INSTANTIATE_TEST_SUITE_P(Pods, LaterRuleTest, testing::ValuesIn(kPods));
INSTANTIATE_TEST_SUITE_P(Transfer, LaterRuleTest, testing::ValuesIn(kTransfer));

TEST(LaterRules, ReportEveryRuleOfIntraPodClients) {
  using enum api::ErrorType;
  constexpr const char* kField = "spec.experimental.gpuMemoryService";
  EXPECT_EQ(validate_later_spec(kComponent, kBeta,
                                "{experimental: {gpuMemoryService: {extraClientPods: [{name: a, "
                                "podTemplate: {}}]}}}"),
            (std::vector<Finding>{{kInvalid, kField, "schema.cel.gms-client-pods"},
                                  {kInvalid, kField, "schema.cel.gms-client-pods-reserved"}}));
}

std::string policy_with(std::size_t prefix) {
  std::string label(prefix, 'a');
  for (std::size_t dot = 60; dot < label.size(); dot += 60) label[dot] = '.';
  return "{experimental: {kvTransferPolicy: {domain: a, labelKey: " + label + "/b}}}";
}

TEST(LaterRules, LimitThePrefixOfLabelKeys) {
  EXPECT_EQ(validate_later_spec(kGraph, kBeta, policy_with(253)), std::vector<Finding>{});
  EXPECT_EQ(validate_later_spec(kGraph, kBeta, policy_with(254)),
            (std::vector<Finding>{{api::ErrorType::kInvalid,
                                   "spec.experimental.kvTransferPolicy.labelKey",
                                   "schema.cel.label-prefix"}}));
  EXPECT_EQ(validate_later_spec(kGraph, kBeta, policy_with(254), policy_with(254)),
            std::vector<Finding>{});
}

TEST(LaterRules, IgnoreUnchangedValues) {
  const std::string before = "{podTemplate: {spec: {containers: [{name: a}]}}}";
  const std::string after = "{replicas: 2, podTemplate: {spec: {containers: [{name: a}]}}}";
  EXPECT_EQ(validate_later_spec(kComponent, kBeta, after, before), std::vector<Finding>{});
}

TEST(LaterRules, SkipComparisonOfTooManyNames) {
  std::string components = "[{name: a}, {name: A}";
  for (int i = 0; i < 24; ++i) components += ", {name: n" + std::to_string(i) + "}";
  EXPECT_EQ(validate_later_spec(kGraph, kBeta, "{components: " + components + "]}"),
            (std::vector<Finding>{{api::ErrorType::kTooMany, "spec.components", "schema.items"}}));
}

}  // namespace
}  // namespace dynamo::test
