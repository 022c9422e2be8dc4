// Types of v1alpha1.
#include "conversion/types.hpp"

namespace dynamo::conversion::types {

namespace {
constexpr Field kAlphaAutoscalingFields[] = {
    {"behavior", kHorizontalPodAutoscalerBehavior, kPointer},
    {"enabled", Shape::kBoolean},
    {"maxReplicas", Shape::kInteger64},
    {"metrics", kMetricSpec, kListOf},
    {"minReplicas", Shape::kInteger64},
};
}  // namespace
constinit const Type kAlphaAutoscaling{kAlphaAutoscalingFields};

namespace {
constexpr Field kAlphaServiceCheckpointConfigFields[] = {
    {"checkpointRef", Shape::kString, kPointer},
    {"deletionPolicy", Shape::kString},
    {"enabled", Shape::kBoolean},
    {"identity", kCheckpointIdentity, kPointer},
    {"job", kServiceCheckpointJobConfig, kPointer},
    {"mode", Shape::kString},
    {"startupPolicy", Shape::kString},
    {"targetContainerName", Shape::kString},
};
}  // namespace
constinit const Type kAlphaServiceCheckpointConfig{kAlphaServiceCheckpointConfigFields};

namespace {
constexpr Field kAlphaExtraPodMetadataFields[] = {
    {"annotations", Shape::kString, kMapOf},
    {"labels", Shape::kString, kMapOf},
};
}  // namespace
constinit const Type kAlphaExtraPodMetadata{kAlphaExtraPodMetadataFields};

namespace {
constexpr Field kAlphaExtraPodSpecFields[] = {
    {"activeDeadlineSeconds", Shape::kInteger64, kPointer},
    {"affinity", kAffinity, kPointer},
    {"automountServiceAccountToken", Shape::kBoolean, kPointer},
    {"containers", kContainer, kListOf},
    {"dnsConfig", kPodDNSConfig, kPointer},
    {"dnsPolicy", Shape::kString},
    {"enableServiceLinks", Shape::kBoolean, kPointer},
    {"ephemeralContainers", kEphemeralContainer, kListOf},
    {"hostAliases", kHostAlias, kListOf},
    {"hostIPC", Shape::kBoolean},
    {"hostNetwork", Shape::kBoolean},
    {"hostPID", Shape::kBoolean},
    {"hostUsers", Shape::kBoolean, kPointer},
    {"hostname", Shape::kString},
    {"hostnameOverride", Shape::kString, kPointer},
    {"imagePullSecrets", kLocalObjectReference, kListOf},
    {"initContainers", kContainer, kListOf},
    {"mainContainer", kContainer, kPointer},
    {"nodeName", Shape::kString},
    {"nodeSelector", Shape::kString, kMapOf},
    {"os", kPodOS, kPointer},
    {"overhead", Shape::kQuantity, kMapOf},
    {"preemptionPolicy", Shape::kString, kPointer},
    {"priority", Shape::kInteger32, kPointer},
    {"priorityClassName", Shape::kString},
    {"readinessGates", kPodReadinessGate, kListOf},
    {"resourceClaims", kPodResourceClaim, kListOf},
    {"resources", kResourceRequirements, kPointer},
    {"restartPolicy", Shape::kString},
    {"runtimeClassName", Shape::kString, kPointer},
    {"schedulerName", Shape::kString},
    {"schedulingGates", kPodSchedulingGate, kListOf},
    {"schedulingGroup", kPodSchedulingGroup, kPointer},
    {"securityContext", kPodSecurityContext, kPointer},
    {"serviceAccount", Shape::kString},
    {"serviceAccountName", Shape::kString},
    {"setHostnameAsFQDN", Shape::kBoolean, kPointer},
    {"shareProcessNamespace", Shape::kBoolean, kPointer},
    {"subdomain", Shape::kString},
    {"terminationGracePeriodSeconds", Shape::kInteger64, kPointer},
    {"tolerations", kToleration, kListOf},
    {"topologySpreadConstraints", kTopologySpreadConstraint, kListOf},
    {"volumes", kVolume, kListOf},
};
}  // namespace
constinit const Type kAlphaExtraPodSpec{kAlphaExtraPodSpecFields};

namespace {
constexpr Field kAlphaFailoverSpecFields[] = {
    {"enabled", Shape::kBoolean, kAlways},
    {"mode", Shape::kString},
    {"numShadows", Shape::kInteger32},
};
}  // namespace
constinit const Type kAlphaFailoverSpec{kAlphaFailoverSpecFields};

namespace {
constexpr Field kAlphaFrontendSidecarSpecFields[] = {
    {"args", Shape::kString, kListOf},
    {"envFromSecret", Shape::kString, kPointer},
    {"envs", kEnvVar, kListOf},
    {"image", Shape::kString, kAlways},
};
}  // namespace
constinit const Type kAlphaFrontendSidecarSpec{kAlphaFrontendSidecarSpecFields};

namespace {
constexpr Field kAlphaGPUMemoryServiceSpecFields[] = {
    {"deviceClassName", Shape::kString},
    {"enabled", Shape::kBoolean, kAlways},
    {"extraClientContainers", Shape::kString, kListOf},
    {"extraClientPods", kGMSClientPodSpec, kListOf},
    {"mode", Shape::kString},
};
}  // namespace
constinit const Type kAlphaGPUMemoryServiceSpec{kAlphaGPUMemoryServiceSpecFields};

namespace {
constexpr Field kAlphaIngressTLSSpecFields[] = {
    {"secretName", Shape::kString},
};
}  // namespace
constinit const Type kAlphaIngressTLSSpec{kAlphaIngressTLSSpecFields};

namespace {
constexpr Field kAlphaIngressSpecFields[] = {
    {"annotations", Shape::kString, kMapOf},
    {"enabled", Shape::kBoolean},
    {"host", Shape::kString},
    {"hostPrefix", Shape::kString, kPointer},
    {"hostSuffix", Shape::kString, kPointer},
    {"ingressControllerClassName", Shape::kString, kPointer},
    {"labels", Shape::kString, kMapOf},
    {"tls", kAlphaIngressTLSSpec, kPointer},
    {"useVirtualService", Shape::kBoolean},
    {"virtualServiceGateway", Shape::kString, kPointer},
};
}  // namespace
constinit const Type kAlphaIngressSpec{kAlphaIngressSpecFields};

namespace {
constexpr Field kAlphaResourceItemFields[] = {
    {"cpu", Shape::kString},     {"custom", Shape::kString, kMapOf}, {"gpu", Shape::kString},
    {"gpuType", Shape::kString}, {"memory", Shape::kString},
};
}  // namespace
constinit const Type kAlphaResourceItem{kAlphaResourceItemFields};

namespace {
constexpr Field kAlphaResourcesFields[] = {
    {"claims", kResourceClaim, kListOf},
    {"limits", kAlphaResourceItem, kPointer},
    {"requests", kAlphaResourceItem, kPointer},
};
}  // namespace
constinit const Type kAlphaResources{kAlphaResourcesFields};

namespace {
constexpr Field kAlphaScalingAdapterFields[] = {
    {"enabled", Shape::kBoolean},
};
}  // namespace
constinit const Type kAlphaScalingAdapter{kAlphaScalingAdapterFields};

namespace {
constexpr Field kAlphaSharedMemorySpecFields[] = {
    {"disabled", Shape::kBoolean},
    {"size", Shape::kQuantity, kAlways},
};
}  // namespace
constinit const Type kAlphaSharedMemorySpec{kAlphaSharedMemorySpecFields};

namespace {
constexpr Field kAlphaVolumeMountFields[] = {
    {"mountPoint", Shape::kString},
    {"name", Shape::kString},
    {"useAsCompilationCache", Shape::kBoolean},
};
}  // namespace
constinit const Type kAlphaVolumeMount{kAlphaVolumeMountFields};

namespace {
constexpr Field kAlphaComponentDeploymentSpecFields[] = {
    {"annotations", Shape::kString, kMapOf},
    {"autoscaling", kAlphaAutoscaling, kPointer},
    {"backendFramework", Shape::kString},
    {"checkpoint", kAlphaServiceCheckpointConfig, kPointer},
    {"componentType", Shape::kString},
    {"dynamoNamespace", Shape::kString, kPointer},
    {"envFromSecret", Shape::kString, kPointer},
    {"envs", kEnvVar, kListOf},
    {"eppConfig", kEPPConfig, kPointer},
    {"extraPodMetadata", kAlphaExtraPodMetadata, kPointer},
    {"extraPodSpec", kAlphaExtraPodSpec, kPointer},
    {"failover", kAlphaFailoverSpec, kPointer},
    {"frontendSidecar", kAlphaFrontendSidecarSpec, kPointer},
    {"globalDynamoNamespace", Shape::kBoolean},
    {"gpuMemoryService", kAlphaGPUMemoryServiceSpec, kPointer},
    {"ingress", kAlphaIngressSpec, kPointer},
    {"labels", Shape::kString, kMapOf},
    {"livenessProbe", kProbe, kPointer},
    {"minAvailable", Shape::kInteger32, kPointer},
    {"modelRef", kModelReference, kPointer},
    {"multinode", kMultinodeSpec, kPointer},
    {"providerOverride", kProviderOverride, kPointer},
    {"readinessProbe", kProbe, kPointer},
    {"replicas", Shape::kInteger32, kPointer},
    {"resources", kAlphaResources, kPointer},
    {"runtimeVersionOverride", Shape::kString},
    {"scalingAdapter", kAlphaScalingAdapter, kPointer},
    {"serviceName", Shape::kString},
    {"sharedMemory", kAlphaSharedMemorySpec, kPointer},
    {"subComponentType", Shape::kString},
    {"topologyConstraint", kTopologyConstraint, kPointer},
    {"volumeMounts", kAlphaVolumeMount, kListOf},
};
}  // namespace
constinit const Type kAlphaComponentDeploymentSpec{kAlphaComponentDeploymentSpecFields};

namespace {
constexpr Field kAlphaServiceReplicaStatusFields[] = {
    {"availableReplicas", Shape::kInteger32, kPointer},
    {"componentKind", Shape::kString, kAlways},
    {"componentName", Shape::kString, kAlways},
    {"componentNames", Shape::kString, kListOf},
    {"readyReplicas", Shape::kInteger32, kPointer},
    {"replicas", Shape::kInteger32, kAlways},
    {"runtimeNamespace", Shape::kString},
    {"scheduledReplicas", Shape::kInteger32, kPointer},
    {"updatedReplicas", Shape::kInteger32, kAlways},
};
}  // namespace
constinit const Type kAlphaServiceReplicaStatus{kAlphaServiceReplicaStatusFields};

namespace {
constexpr Field kAlphaComponentDeploymentStatusFields[] = {
    {"conditions", kCondition, kListOf | kAlways},
    {"observedGeneration", Shape::kInteger64},
    {"podSelector", Shape::kString, kMapOf},
    {"service", kAlphaServiceReplicaStatus, kPointer},
};
}  // namespace
constinit const Type kAlphaComponentDeploymentStatus{kAlphaComponentDeploymentStatusFields};

namespace {
constexpr Field kAlphaComponentDeploymentFields[] = {
    {"metadata", kObjectMeta},
    {"spec", kAlphaComponentDeploymentSpec},
    {"status", kAlphaComponentDeploymentStatus},
};
}  // namespace
constinit const Type kAlphaComponentDeployment{kAlphaComponentDeploymentFields};

namespace {
constexpr Field kAlphaPVCFields[] = {
    {"create", Shape::kBoolean, kPointer}, {"name", Shape::kString, kPointer},
    {"size", Shape::kQuantity, kAlways},   {"storageClass", Shape::kString},
    {"volumeAccessMode", Shape::kString},
};
}  // namespace
constinit const Type kAlphaPVC{kAlphaPVCFields};

namespace {
constexpr Field kAlphaComponentFields[] = {
    {"annotations", Shape::kString, kMapOf},
    {"autoscaling", kAlphaAutoscaling, kPointer},
    {"checkpoint", kAlphaServiceCheckpointConfig, kPointer},
    {"componentType", Shape::kString},
    {"dynamoNamespace", Shape::kString, kPointer},
    {"envFromSecret", Shape::kString, kPointer},
    {"envs", kEnvVar, kListOf},
    {"eppConfig", kEPPConfig, kPointer},
    {"extraPodMetadata", kAlphaExtraPodMetadata, kPointer},
    {"extraPodSpec", kAlphaExtraPodSpec, kPointer},
    {"failover", kAlphaFailoverSpec, kPointer},
    {"frontendSidecar", kAlphaFrontendSidecarSpec, kPointer},
    {"globalDynamoNamespace", Shape::kBoolean},
    {"gpuMemoryService", kAlphaGPUMemoryServiceSpec, kPointer},
    {"ingress", kAlphaIngressSpec, kPointer},
    {"labels", Shape::kString, kMapOf},
    {"livenessProbe", kProbe, kPointer},
    {"minAvailable", Shape::kInteger32, kPointer},
    {"modelRef", kModelReference, kPointer},
    {"multinode", kMultinodeSpec, kPointer},
    {"providerOverride", kProviderOverride, kPointer},
    {"readinessProbe", kProbe, kPointer},
    {"replicas", Shape::kInteger32, kPointer},
    {"resources", kAlphaResources, kPointer},
    {"runtimeVersionOverride", Shape::kString},
    {"scalingAdapter", kAlphaScalingAdapter, kPointer},
    {"serviceName", Shape::kString},
    {"sharedMemory", kAlphaSharedMemorySpec, kPointer},
    {"subComponentType", Shape::kString},
    {"topologyConstraint", kTopologyConstraint, kPointer},
    {"volumeMounts", kAlphaVolumeMount, kListOf},
};
}  // namespace
constinit const Type kAlphaComponent{kAlphaComponentFields};

namespace {
constexpr Field kAlphaSpecTopologyConstraintFields[] = {
    {"packDomain", Shape::kString},
    {"topologyProfile", Shape::kString, kAlways},
};
}  // namespace
constinit const Type kAlphaSpecTopologyConstraint{kAlphaSpecTopologyConstraintFields};

namespace {
constexpr Field kAlphaGraphDeploymentSpecFields[] = {
    {"annotations", Shape::kString, kMapOf},
    {"backendFramework", Shape::kString},
    {"envs", kEnvVar, kListOf},
    {"experimental", kGraphDeploymentExperimentalSpec, kPointer},
    {"labels", Shape::kString, kMapOf},
    {"priorityClassName", Shape::kString},
    {"providerOverride", kProviderOverride, kPointer},
    {"pvcs", kAlphaPVC, kListOf},
    {"restart", kRestart, kPointer},
    {"services", kAlphaComponent, kMapOf | kPointer},
    {"topologyConstraint", kAlphaSpecTopologyConstraint, kPointer},
};
}  // namespace
constinit const Type kAlphaGraphDeploymentSpec{kAlphaGraphDeploymentSpecFields};

namespace {
constexpr Field kAlphaRollingUpdateStatusFields[] = {
    {"endTime", Shape::kTime, kPointer},
    {"phase", Shape::kString},
    {"startTime", Shape::kTime, kPointer},
    {"updatedServices", Shape::kString, kListOf},
};
}  // namespace
constinit const Type kAlphaRollingUpdateStatus{kAlphaRollingUpdateStatusFields};

namespace {
constexpr Field kAlphaGraphDeploymentStatusFields[] = {
    {"checkpoints", kServiceCheckpointStatus, kMapOf},
    {"conditions", kCondition, kListOf},
    {"observedGeneration", Shape::kInteger64},
    {"placement", kPlacementStatus, kPointer},
    {"restart", kRestartStatus, kPointer},
    {"rollingUpdate", kAlphaRollingUpdateStatus, kPointer},
    {"services", kAlphaServiceReplicaStatus, kMapOf},
    {"state", Shape::kString, kAlways},
};
}  // namespace
constinit const Type kAlphaGraphDeploymentStatus{kAlphaGraphDeploymentStatusFields};

namespace {
constexpr Field kAlphaGraphDeploymentFields[] = {
    {"metadata", kObjectMeta},
    {"spec", kAlphaGraphDeploymentSpec},
    {"status", kAlphaGraphDeploymentStatus},
};
}  // namespace
constinit const Type kAlphaGraphDeployment{kAlphaGraphDeploymentFields};

namespace {
constexpr Field kAlphaDeploymentOverridesSpecFields[] = {
    {"annotations", Shape::kString, kMapOf},
    {"labels", Shape::kString, kMapOf},
    {"name", Shape::kString},
    {"namespace", Shape::kString},
    {"workersImage", Shape::kString},
};
}  // namespace
constinit const Type kAlphaDeploymentOverridesSpec{kAlphaDeploymentOverridesSpecFields};

namespace {
constexpr Field kAlphaProfilingConfigMapFields[] = {
    {"key", Shape::kString},
    {"name", Shape::kString, kAlways},
};
}  // namespace
constinit const Type kAlphaProfilingConfigMap{kAlphaProfilingConfigMapFields};

namespace {
constexpr Field kAlphaProfilingConfigSpecFields[] = {
    {"config", Shape::kOpaque, kPointer},
    {"configMapRef", kAlphaProfilingConfigMap, kPointer},
    {"nodeSelector", Shape::kString, kMapOf},
    {"outputPVC", Shape::kString},
    {"profilerImage", Shape::kString, kAlways},
    {"resources", kResourceRequirements, kPointer},
    {"tolerations", kToleration, kListOf},
};
}  // namespace
constinit const Type kAlphaProfilingConfigSpec{kAlphaProfilingConfigSpecFields};

namespace {
constexpr Field kAlphaGraphDeploymentRequestSpecFields[] = {
    {"autoApply", Shape::kBoolean},
    {"backend", Shape::kString, kAlways},
    {"deploymentOverrides", kAlphaDeploymentOverridesSpec, kPointer},
    {"enableGpuDiscovery", Shape::kBoolean, kPointer},
    {"model", Shape::kString, kAlways},
    {"profilingConfig", kAlphaProfilingConfigSpec},
    {"runtimeVersionOverride", Shape::kString},
    {"useMocker", Shape::kBoolean},
};
}  // namespace
constinit const Type kAlphaGraphDeploymentRequestSpec{kAlphaGraphDeploymentRequestSpecFields};

namespace {
constexpr Field kAlphaDeploymentStatusFields[] = {
    {"created", Shape::kBoolean},
    {"name", Shape::kString},
    {"namespace", Shape::kString},
    {"state", Shape::kString, kAlways},
};
}  // namespace
constinit const Type kAlphaDeploymentStatus{kAlphaDeploymentStatusFields};

namespace {
constexpr Field kAlphaGraphDeploymentRequestStatusFields[] = {
    {"backend", Shape::kString},
    {"conditions", kCondition, kListOf},
    {"deployment", kAlphaDeploymentStatus, kPointer},
    {"generatedDeployment", Shape::kOpaque, kPointer},
    {"observedGeneration", Shape::kInteger64},
    {"profilingResults", Shape::kString},
    {"state", Shape::kString, kAlways},
};
}  // namespace
constinit const Type kAlphaGraphDeploymentRequestStatus{kAlphaGraphDeploymentRequestStatusFields};

namespace {
constexpr Field kAlphaGraphDeploymentRequestFields[] = {
    {"metadata", kObjectMeta},
    {"spec", kAlphaGraphDeploymentRequestSpec},
    {"status", kAlphaGraphDeploymentRequestStatus},
};
}  // namespace
constinit const Type kAlphaGraphDeploymentRequest{kAlphaGraphDeploymentRequestFields};

namespace {
constexpr Field kAlphaGraphDeploymentServiceRefFields[] = {
    {"name", Shape::kString, kAlways},
    {"serviceName", Shape::kString, kAlways},
};
}  // namespace
constinit const Type kAlphaGraphDeploymentServiceRef{kAlphaGraphDeploymentServiceRefFields};

namespace {
constexpr Field kAlphaGraphDeploymentScalingAdapterSpecFields[] = {
    {"dgdRef", kAlphaGraphDeploymentServiceRef},
    {"replicas", Shape::kInteger32, kAlways},
};
}  // namespace
constinit const Type kAlphaGraphDeploymentScalingAdapterSpec{
    kAlphaGraphDeploymentScalingAdapterSpecFields};

namespace {
constexpr Field kAlphaGraphDeploymentScalingAdapterStatusFields[] = {
    {"lastScaleTime", Shape::kTime, kPointer},
    {"replicas", Shape::kInteger32},
    {"selector", Shape::kString},
};
}  // namespace
constinit const Type kAlphaGraphDeploymentScalingAdapterStatus{
    kAlphaGraphDeploymentScalingAdapterStatusFields};

namespace {
constexpr Field kAlphaGraphDeploymentScalingAdapterFields[] = {
    {"metadata", kObjectMeta},
    {"spec", kAlphaGraphDeploymentScalingAdapterSpec},
    {"status", kAlphaGraphDeploymentScalingAdapterStatus},
};
}  // namespace
constinit const Type kAlphaGraphDeploymentScalingAdapter{kAlphaGraphDeploymentScalingAdapterFields};

}  // namespace dynamo::conversion::types
