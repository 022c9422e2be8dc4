// Types of v1beta1.
#include "conversion/types.hpp"

namespace dynamo::conversion::types {

namespace {
constexpr Field kBetaCompilationCacheConfigFields[] = {
    {"mountPath", Shape::kString},
    {"pvcName", Shape::kString, kAlways},
};
}  // namespace
constinit const Type kBetaCompilationCacheConfig{kBetaCompilationCacheConfigFields};

namespace {
constexpr Field kBetaComponentCheckpointConfigFields[] = {
    {"checkpointRef", Shape::kString, kPointer},
    {"deletionPolicy", Shape::kString},
    {"enabled", Shape::kBoolean, kAlways},
    {"identity", kCheckpointIdentity, kPointer},
    {"job", kServiceCheckpointJobConfig, kPointer},
    {"mode", Shape::kString},
    {"startupPolicy", Shape::kString},
    {"targetContainerName", Shape::kString},
};
}  // namespace
constinit const Type kBetaComponentCheckpointConfig{kBetaComponentCheckpointConfigFields};

namespace {
constexpr Field kBetaFailoverSpecFields[] = {
    {"mode", Shape::kString},
    {"numShadows", Shape::kInteger32},
};
}  // namespace
constinit const Type kBetaFailoverSpec{kBetaFailoverSpecFields};

namespace {
constexpr Field kBetaGPUMemoryServiceSpecFields[] = {
    {"deviceClassName", Shape::kString},
    {"extraClientContainers", Shape::kString, kListOf},
    {"extraClientPods", kGMSClientPodSpec, kListOf},
    {"mode", Shape::kString},
};
}  // namespace
constinit const Type kBetaGPUMemoryServiceSpec{kBetaGPUMemoryServiceSpecFields};

namespace {
constexpr Field kBetaGroveSpecFields[] = {
    {"forceScalingGroup", Shape::kBoolean},
};
}  // namespace
constinit const Type kBetaGroveSpec{kBetaGroveSpecFields};

namespace {
constexpr Field kBetaExperimentalSpecFields[] = {
    {"checkpoint", kBetaComponentCheckpointConfig, kPointer},
    {"failover", kBetaFailoverSpec, kPointer},
    {"gpuMemoryService", kBetaGPUMemoryServiceSpec, kPointer},
    {"grove", kBetaGroveSpec, kPointer},
};
}  // namespace
constinit const Type kBetaExperimentalSpec{kBetaExperimentalSpecFields};

constinit const Type kBetaScalingAdapter;

namespace {
constexpr Field kBetaComponentDeploymentSpecFields[] = {
    {"backendFramework", Shape::kString},
    {"compilationCache", kBetaCompilationCacheConfig, kPointer},
    {"eppConfig", kEPPConfig, kPointer},
    {"experimental", kBetaExperimentalSpec, kPointer},
    {"frontendSidecar", Shape::kString, kPointer},
    {"globalDynamoNamespace", Shape::kBoolean},
    {"minAvailable", Shape::kInteger32, kPointer},
    {"modelRef", kModelReference, kPointer},
    {"multinode", kMultinodeSpec, kPointer},
    {"name", Shape::kString, kAlways},
    {"podTemplate", kPodTemplateSpec, kPointer},
    {"providerOverride", kProviderOverride, kPointer},
    {"replicas", Shape::kInteger32, kPointer},
    {"runtimeVersionOverride", Shape::kString},
    {"scalingAdapter", kBetaScalingAdapter, kPointer},
    {"sharedMemorySize", Shape::kQuantity, kPointer},
    {"topologyConstraint", kTopologyConstraint, kPointer},
    {"type", Shape::kString},
};
}  // namespace
constinit const Type kBetaComponentDeploymentSpec{kBetaComponentDeploymentSpecFields};

namespace {
constexpr Field kBetaComponentReplicaStatusFields[] = {
    {"availableReplicas", Shape::kInteger32, kPointer},
    {"componentKind", Shape::kString, kAlways},
    {"componentNames", Shape::kString, kListOf},
    {"readyReplicas", Shape::kInteger32, kPointer},
    {"replicas", Shape::kInteger32, kAlways},
    {"runtimeNamespace", Shape::kString},
    {"scheduledReplicas", Shape::kInteger32, kPointer},
    {"updatedReplicas", Shape::kInteger32, kAlways},
};
}  // namespace
constinit const Type kBetaComponentReplicaStatus{kBetaComponentReplicaStatusFields};

namespace {
constexpr Field kBetaComponentDeploymentStatusFields[] = {
    {"component", kBetaComponentReplicaStatus, kPointer},
    {"conditions", kCondition, kListOf},
    {"observedGeneration", Shape::kInteger64},
};
}  // namespace
constinit const Type kBetaComponentDeploymentStatus{kBetaComponentDeploymentStatusFields};

namespace {
constexpr Field kBetaComponentDeploymentFields[] = {
    {"metadata", kObjectMeta},
    {"spec", kBetaComponentDeploymentSpec},
    {"status", kBetaComponentDeploymentStatus},
};
}  // namespace
constinit const Type kBetaComponentDeployment{kBetaComponentDeploymentFields};

namespace {
constexpr Field kBetaComponentFields[] = {
    {"compilationCache", kBetaCompilationCacheConfig, kPointer},
    {"eppConfig", kEPPConfig, kPointer},
    {"experimental", kBetaExperimentalSpec, kPointer},
    {"frontendSidecar", Shape::kString, kPointer},
    {"globalDynamoNamespace", Shape::kBoolean},
    {"minAvailable", Shape::kInteger32, kPointer},
    {"modelRef", kModelReference, kPointer},
    {"multinode", kMultinodeSpec, kPointer},
    {"name", Shape::kString, kAlways},
    {"podTemplate", kPodTemplateSpec, kPointer},
    {"providerOverride", kProviderOverride, kPointer},
    {"replicas", Shape::kInteger32, kPointer},
    {"runtimeVersionOverride", Shape::kString},
    {"scalingAdapter", kBetaScalingAdapter, kPointer},
    {"sharedMemorySize", Shape::kQuantity, kPointer},
    {"topologyConstraint", kTopologyConstraint, kPointer},
    {"type", Shape::kString},
};
}  // namespace
constinit const Type kBetaComponent{kBetaComponentFields};

namespace {
constexpr Field kBetaSpecTopologyConstraintFields[] = {
    {"clusterTopologyName", Shape::kString, kAlways},
    {"packDomain", Shape::kString},
};
}  // namespace
constinit const Type kBetaSpecTopologyConstraint{kBetaSpecTopologyConstraintFields};

namespace {
constexpr Field kBetaGraphDeploymentSpecFields[] = {
    {"annotations", Shape::kString, kMapOf},
    {"backendFramework", Shape::kString},
    {"components", kBetaComponent, kListOf},
    {"env", kEnvVar, kListOf},
    {"experimental", kGraphDeploymentExperimentalSpec, kPointer},
    {"labels", Shape::kString, kMapOf},
    {"priorityClassName", Shape::kString},
    {"providerOverride", kProviderOverride, kPointer},
    {"restart", kRestart, kPointer},
    {"topologyConstraint", kBetaSpecTopologyConstraint, kPointer},
};
}  // namespace
constinit const Type kBetaGraphDeploymentSpec{kBetaGraphDeploymentSpecFields};

namespace {
constexpr Field kBetaRollingUpdateStatusFields[] = {
    {"endTime", Shape::kTime, kPointer},
    {"phase", Shape::kString},
    {"startTime", Shape::kTime, kPointer},
    {"updatedComponents", Shape::kString, kListOf},
};
}  // namespace
constinit const Type kBetaRollingUpdateStatus{kBetaRollingUpdateStatusFields};

namespace {
constexpr Field kBetaGraphDeploymentStatusFields[] = {
    {"checkpoints", kServiceCheckpointStatus, kMapOf},
    {"components", kBetaComponentReplicaStatus, kMapOf},
    {"conditions", kCondition, kListOf},
    {"observedGeneration", Shape::kInteger64},
    {"placement", kPlacementStatus, kPointer},
    {"restart", kRestartStatus, kPointer},
    {"rollingUpdate", kBetaRollingUpdateStatus, kPointer},
    {"state", Shape::kString, kAlways},
};
}  // namespace
constinit const Type kBetaGraphDeploymentStatus{kBetaGraphDeploymentStatusFields};

namespace {
constexpr Field kBetaGraphDeploymentFields[] = {
    {"metadata", kObjectMeta},
    {"spec", kBetaGraphDeploymentSpec},
    {"status", kBetaGraphDeploymentStatus},
};
}  // namespace
constinit const Type kBetaGraphDeployment{kBetaGraphDeploymentFields};

namespace {
constexpr Field kBetaMockerSpecFields[] = {
    {"enabled", Shape::kBoolean},
};
}  // namespace
constinit const Type kBetaMockerSpec{kBetaMockerSpecFields};

namespace {
constexpr Field kBetaFeaturesSpecFields[] = {
    {"mocker", kBetaMockerSpec, kPointer},
    {"planner", Shape::kOpaque, kPointer},
};
}  // namespace
constinit const Type kBetaFeaturesSpec{kBetaFeaturesSpecFields};

namespace {
constexpr Field kBetaHardwareSpecFields[] = {
    {"gpuSku", Shape::kString},
    {"interconnect", Shape::kString},
    {"numGpusPerNode", Shape::kInteger32, kPointer},
    {"rdma", Shape::kBoolean, kPointer},
    {"totalGpus", Shape::kInteger32, kPointer},
    {"vramMb", Shape::kNumber, kPointer},
};
}  // namespace
constinit const Type kBetaHardwareSpec{kBetaHardwareSpecFields};

namespace {
constexpr Field kBetaModelCacheSpecFields[] = {
    {"pvcModelPath", Shape::kString},
    {"pvcMountPath", Shape::kString},
    {"pvcName", Shape::kString},
};
}  // namespace
constinit const Type kBetaModelCacheSpec{kBetaModelCacheSpecFields};

namespace {
constexpr Field kBetaOverridesSpecFields[] = {
    {"dgd", Shape::kOpaque, kPointer},
    {"profilingJob", kJobSpec, kPointer},
};
}  // namespace
constinit const Type kBetaOverridesSpec{kBetaOverridesSpecFields};

namespace {
constexpr Field kBetaSLASpecFields[] = {
    {"e2eLatency", Shape::kNumber, kPointer},
    {"itl", Shape::kNumber, kPointer},
    {"optimizationType", Shape::kString, kPointer},
    {"ttft", Shape::kNumber, kPointer},
};
}  // namespace
constinit const Type kBetaSLASpec{kBetaSLASpecFields};

namespace {
constexpr Field kBetaWorkloadSpecFields[] = {
    {"concurrency", Shape::kNumber, kPointer},
    {"isl", Shape::kInteger32, kPointer},
    {"osl", Shape::kInteger32, kPointer},
    {"requestRate", Shape::kNumber, kPointer},
};
}  // namespace
constinit const Type kBetaWorkloadSpec{kBetaWorkloadSpecFields};

namespace {
constexpr Field kBetaGraphDeploymentRequestSpecFields[] = {
    {"autoApply", Shape::kBoolean, kPointer},
    {"backend", Shape::kString},
    {"features", kBetaFeaturesSpec, kPointer},
    {"hardware", kBetaHardwareSpec, kPointer},
    {"image", Shape::kString},
    {"model", Shape::kString, kAlways},
    {"modelCache", kBetaModelCacheSpec, kPointer},
    {"overrides", kBetaOverridesSpec, kPointer},
    {"runtimeVersionOverride", Shape::kString},
    {"searchStrategy", Shape::kString},
    {"sla", kBetaSLASpec, kPointer},
    {"workload", kBetaWorkloadSpec, kPointer},
};
}  // namespace
constinit const Type kBetaGraphDeploymentRequestSpec{kBetaGraphDeploymentRequestSpecFields};

namespace {
constexpr Field kBetaDeploymentInfoStatusFields[] = {
    {"availableReplicas", Shape::kInteger32, kPointer},
    {"replicas", Shape::kInteger32, kPointer},
};
}  // namespace
constinit const Type kBetaDeploymentInfoStatus{kBetaDeploymentInfoStatusFields};

namespace {
constexpr Field kBetaParetoConfigFields[] = {
    {"config", Shape::kOpaque, kAlways},
};
}  // namespace
constinit const Type kBetaParetoConfig{kBetaParetoConfigFields};

namespace {
constexpr Field kBetaProfilingResultsStatusFields[] = {
    {"pareto", kBetaParetoConfig, kListOf},
    {"selectedConfig", Shape::kOpaque, kPointer},
};
}  // namespace
constinit const Type kBetaProfilingResultsStatus{kBetaProfilingResultsStatusFields};

namespace {
constexpr Field kBetaGraphDeploymentRequestStatusFields[] = {
    {"conditions", kCondition, kListOf},
    {"deploymentInfo", kBetaDeploymentInfoStatus, kPointer},
    {"dgdName", Shape::kString},
    {"observedGeneration", Shape::kInteger64},
    {"phase", Shape::kString},
    {"profilingJobName", Shape::kString},
    {"profilingPhase", Shape::kString},
    {"profilingResults", kBetaProfilingResultsStatus, kPointer},
};
}  // namespace
constinit const Type kBetaGraphDeploymentRequestStatus{kBetaGraphDeploymentRequestStatusFields};

namespace {
constexpr Field kBetaGraphDeploymentRequestFields[] = {
    {"metadata", kObjectMeta},
    {"spec", kBetaGraphDeploymentRequestSpec},
    {"status", kBetaGraphDeploymentRequestStatus},
};
}  // namespace
constinit const Type kBetaGraphDeploymentRequest{kBetaGraphDeploymentRequestFields};

namespace {
constexpr Field kBetaGraphDeploymentComponentRefFields[] = {
    {"componentName", Shape::kString, kAlways},
    {"name", Shape::kString, kAlways},
};
}  // namespace
constinit const Type kBetaGraphDeploymentComponentRef{kBetaGraphDeploymentComponentRefFields};

namespace {
constexpr Field kBetaGraphDeploymentScalingAdapterSpecFields[] = {
    {"dgdRef", kBetaGraphDeploymentComponentRef},
    {"replicas", Shape::kInteger32, kAlways},
};
}  // namespace
constinit const Type kBetaGraphDeploymentScalingAdapterSpec{
    kBetaGraphDeploymentScalingAdapterSpecFields};

namespace {
constexpr Field kBetaGraphDeploymentScalingAdapterStatusFields[] = {
    {"lastScaleTime", Shape::kTime, kPointer},
    {"replicas", Shape::kInteger32, kAlways},
    {"selector", Shape::kString},
};
}  // namespace
constinit const Type kBetaGraphDeploymentScalingAdapterStatus{
    kBetaGraphDeploymentScalingAdapterStatusFields};

namespace {
constexpr Field kBetaGraphDeploymentScalingAdapterFields[] = {
    {"metadata", kObjectMeta},
    {"spec", kBetaGraphDeploymentScalingAdapterSpec},
    {"status", kBetaGraphDeploymentScalingAdapterStatus},
};
}  // namespace
constinit const Type kBetaGraphDeploymentScalingAdapter{kBetaGraphDeploymentScalingAdapterFields};

}  // namespace dynamo::conversion::types
