// The types of the converted objects, one table per struct. Structs that are equal in both
// versions exist once.
#pragma once

#include "conversion/type.hpp"

namespace dynamo::conversion::types {

// types_containers.cpp
extern const Type kContainerResourceMetricSource;
extern const Type kResourceMetricSource;
extern const Type kConfigMapKeySelector;
extern const Type kObjectFieldSelector;
extern const Type kResourceFieldSelector;
extern const Type kEnvVar;
extern const Type kSecretEnvSource;
extern const Type kEnvFromSource;
extern const Type kProbe;
extern const Type kResourceClaim;
extern const Type kResourceRequirements;
extern const Type kAppArmorProfile;
extern const Type kSELinuxOptions;
extern const Type kSeccompProfile;
extern const Type kWindowsSecurityContextOptions;
extern const Type kVolumeMount;
extern const Type kContainer;
extern const Type kEphemeralContainer;

// types_volumes.cpp
extern const Type kVolume;

// types_pods.cpp
extern const Type kObjectMeta;
extern const Type kHorizontalPodAutoscalerBehavior;
extern const Type kMetricTarget;
extern const Type kLabelSelector;
extern const Type kMetricSpec;
extern const Type kAffinity;
extern const Type kPodDNSConfig;
extern const Type kHostAlias;
extern const Type kLocalObjectReference;
extern const Type kPodOS;
extern const Type kPodReadinessGate;
extern const Type kPodResourceClaim;
extern const Type kPodSchedulingGate;
extern const Type kPodSchedulingGroup;
extern const Type kPodSecurityContext;
extern const Type kToleration;
extern const Type kTopologySpreadConstraint;
extern const Type kPodSpec;
extern const Type kPodTemplateSpec;
extern const Type kCondition;
extern const Type kJobSpec;

// types_shared.cpp
extern const Type kCheckpointIdentity;
extern const Type kServiceCheckpointJobConfig;
extern const Type kPluginSpec;
extern const Type kSaturationDetector;
extern const Type kSchedulingPlugin;
extern const Type kSchedulingProfile;
extern const Type kEndpointPickerConfig;
extern const Type kEPPConfig;
extern const Type kGMSClientPodSpec;
extern const Type kModelReference;
extern const Type kProviderOverride;
extern const Type kMultinodeRoleSpec;
extern const Type kMultinodeSpec;
extern const Type kTopologyConstraint;
extern const Type kKvTransferPolicy;
extern const Type kGraphDeploymentExperimentalSpec;
extern const Type kRestartStrategy;
extern const Type kRestart;
extern const Type kServiceCheckpointStatus;
extern const Type kPlacementStatus;
extern const Type kRestartStatus;

// types_alpha.cpp
extern const Type kAlphaAutoscaling;
extern const Type kAlphaServiceCheckpointConfig;
extern const Type kAlphaExtraPodMetadata;
extern const Type kAlphaExtraPodSpec;
extern const Type kAlphaFailoverSpec;
extern const Type kAlphaFrontendSidecarSpec;
extern const Type kAlphaGPUMemoryServiceSpec;
extern const Type kAlphaIngressTLSSpec;
extern const Type kAlphaIngressSpec;
extern const Type kAlphaResourceItem;
extern const Type kAlphaResources;
extern const Type kAlphaScalingAdapter;
extern const Type kAlphaSharedMemorySpec;
extern const Type kAlphaVolumeMount;
extern const Type kAlphaComponentDeploymentSpec;
extern const Type kAlphaServiceReplicaStatus;
extern const Type kAlphaComponentDeploymentStatus;
extern const Type kAlphaComponentDeployment;
extern const Type kAlphaPVC;
extern const Type kAlphaComponent;
extern const Type kAlphaSpecTopologyConstraint;
extern const Type kAlphaGraphDeploymentSpec;
extern const Type kAlphaRollingUpdateStatus;
extern const Type kAlphaGraphDeploymentStatus;
extern const Type kAlphaGraphDeployment;
extern const Type kAlphaDeploymentOverridesSpec;
extern const Type kAlphaProfilingConfigMap;
extern const Type kAlphaProfilingConfigSpec;
extern const Type kAlphaGraphDeploymentRequestSpec;
extern const Type kAlphaDeploymentStatus;
extern const Type kAlphaGraphDeploymentRequestStatus;
extern const Type kAlphaGraphDeploymentRequest;
extern const Type kAlphaGraphDeploymentServiceRef;
extern const Type kAlphaGraphDeploymentScalingAdapterSpec;
extern const Type kAlphaGraphDeploymentScalingAdapterStatus;
extern const Type kAlphaGraphDeploymentScalingAdapter;

// types_beta.cpp
extern const Type kBetaCompilationCacheConfig;
extern const Type kBetaComponentCheckpointConfig;
extern const Type kBetaFailoverSpec;
extern const Type kBetaGPUMemoryServiceSpec;
extern const Type kBetaGroveSpec;
extern const Type kBetaExperimentalSpec;
extern const Type kBetaScalingAdapter;
extern const Type kBetaComponentDeploymentSpec;
extern const Type kBetaComponentReplicaStatus;
extern const Type kBetaComponentDeploymentStatus;
extern const Type kBetaComponentDeployment;
extern const Type kBetaComponent;
extern const Type kBetaSpecTopologyConstraint;
extern const Type kBetaGraphDeploymentSpec;
extern const Type kBetaRollingUpdateStatus;
extern const Type kBetaGraphDeploymentStatus;
extern const Type kBetaGraphDeployment;
extern const Type kBetaMockerSpec;
extern const Type kBetaFeaturesSpec;
extern const Type kBetaHardwareSpec;
extern const Type kBetaModelCacheSpec;
extern const Type kBetaOverridesSpec;
extern const Type kBetaSLASpec;
extern const Type kBetaWorkloadSpec;
extern const Type kBetaGraphDeploymentRequestSpec;
extern const Type kBetaDeploymentInfoStatus;
extern const Type kBetaParetoConfig;
extern const Type kBetaProfilingResultsStatus;
extern const Type kBetaGraphDeploymentRequestStatus;
extern const Type kBetaGraphDeploymentRequest;
extern const Type kBetaGraphDeploymentComponentRef;
extern const Type kBetaGraphDeploymentScalingAdapterSpec;
extern const Type kBetaGraphDeploymentScalingAdapterStatus;
extern const Type kBetaGraphDeploymentScalingAdapter;

}  // namespace dynamo::conversion::types
