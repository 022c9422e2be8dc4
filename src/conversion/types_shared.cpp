// Types that both versions of the Dynamo kinds share.
#include "conversion/types.hpp"

namespace dynamo::conversion::types {

namespace {
constexpr Field kCheckpointIdentityFields[] = {
    {"backendFramework", Shape::kString, kAlways},
    {"dtype", Shape::kString},
    {"dynamoVersion", Shape::kString},
    {"extraParameters", Shape::kString, kMapOf},
    {"maxModelLen", Shape::kInteger32},
    {"model", Shape::kString, kAlways},
    {"pipelineParallelSize", Shape::kInteger32},
    {"tensorParallelSize", Shape::kInteger32},
};
}  // namespace
constinit const Type kCheckpointIdentity{kCheckpointIdentityFields};

namespace {
constexpr Field kServiceCheckpointJobConfigFields[] = {
    {"gmsClientContainers", Shape::kString, kListOf},
    {"podTemplate", kPodTemplateSpec, kPointer},
};
}  // namespace
constinit const Type kServiceCheckpointJobConfig{kServiceCheckpointJobConfigFields};

namespace {
constexpr Field kPluginSpecFields[] = {
    {"name", Shape::kString, kAlways},
    {"parameters", Shape::kOpaque, kAlways},
    {"type", Shape::kString, kAlways},
};
}  // namespace
constinit const Type kPluginSpec{kPluginSpecFields};

namespace {
constexpr Field kSaturationDetectorFields[] = {
    {"kvCacheUtilThreshold", Shape::kNumber},
    {"metricsStalenessThreshold", Shape::kDuration, kAlways},
    {"queueDepthThreshold", Shape::kInteger64},
};
}  // namespace
constinit const Type kSaturationDetector{kSaturationDetectorFields};

namespace {
constexpr Field kSchedulingPluginFields[] = {
    {"pluginRef", Shape::kString, kAlways},
    {"weight", Shape::kInteger64, kPointer | kAlways},
};
}  // namespace
constinit const Type kSchedulingPlugin{kSchedulingPluginFields};

namespace {
constexpr Field kSchedulingProfileFields[] = {
    {"name", Shape::kString, kAlways},
    {"plugins", kSchedulingPlugin, kListOf | kAlways},
};
}  // namespace
constinit const Type kSchedulingProfile{kSchedulingProfileFields};

namespace {
constexpr Field kEndpointPickerConfigFields[] = {
    {"apiVersion", Shape::kString},
    {"featureGates", Shape::kString, kListOf},
    {"kind", Shape::kString},
    {"plugins", kPluginSpec, kListOf | kAlways},
    {"saturationDetector", kSaturationDetector, kPointer},
    {"schedulingProfiles", kSchedulingProfile, kListOf | kAlways},
};
}  // namespace
constinit const Type kEndpointPickerConfig{kEndpointPickerConfigFields};

namespace {
constexpr Field kEPPConfigFields[] = {
    {"config", kEndpointPickerConfig, kPointer},
    {"configMapRef", kConfigMapKeySelector, kPointer},
};
}  // namespace
constinit const Type kEPPConfig{kEPPConfigFields};

namespace {
constexpr Field kGMSClientPodSpecFields[] = {
    {"name", Shape::kString, kAlways},
    {"podTemplate", kPodTemplateSpec},
};
}  // namespace
constinit const Type kGMSClientPodSpec{kGMSClientPodSpecFields};

namespace {
constexpr Field kModelReferenceFields[] = {
    {"name", Shape::kString, kAlways},
    {"revision", Shape::kString},
};
}  // namespace
constinit const Type kModelReference{kModelReferenceFields};

namespace {
constexpr Field kProviderOverrideFields[] = {
    {"apiVersion", Shape::kString, kAlways},
    {"target", Shape::kString},
    {"value", Shape::kOpaque, kAlways},
};
}  // namespace
constinit const Type kProviderOverride{kProviderOverrideFields};

namespace {
constexpr Field kMultinodeRoleSpecFields[] = {
    {"providerOverride", kProviderOverride, kPointer},
};
}  // namespace
constinit const Type kMultinodeRoleSpec{kMultinodeRoleSpecFields};

namespace {
constexpr Field kMultinodeSpecFields[] = {
    {"leader", kMultinodeRoleSpec, kPointer},
    {"nodeCount", Shape::kInteger32, kAlways},
    {"worker", kMultinodeRoleSpec, kPointer},
};
}  // namespace
constinit const Type kMultinodeSpec{kMultinodeSpecFields};

namespace {
constexpr Field kTopologyConstraintFields[] = {
    {"packDomain", Shape::kString, kAlways},
};
}  // namespace
constinit const Type kTopologyConstraint{kTopologyConstraintFields};

namespace {
constexpr Field kKvTransferPolicyFields[] = {
    {"clusterTopologyName", Shape::kString},
    {"domain", Shape::kString, kAlways},
    {"enforcement", Shape::kString},
    {"labelKey", Shape::kString},
    {"preferredWeight", Shape::kNumber32, kPointer},
};
}  // namespace
constinit const Type kKvTransferPolicy{kKvTransferPolicyFields};

namespace {
constexpr Field kGraphDeploymentExperimentalSpecFields[] = {
    {"kvTransferPolicy", kKvTransferPolicy, kPointer},
};
}  // namespace
constinit const Type kGraphDeploymentExperimentalSpec{kGraphDeploymentExperimentalSpecFields};

namespace {
constexpr Field kRestartStrategyFields[] = {
    {"order", Shape::kString, kListOf},
    {"type", Shape::kString},
};
}  // namespace
constinit const Type kRestartStrategy{kRestartStrategyFields};

namespace {
constexpr Field kRestartFields[] = {
    {"id", Shape::kString, kAlways},
    {"strategy", kRestartStrategy, kPointer},
};
}  // namespace
constinit const Type kRestart{kRestartFields};

namespace {
constexpr Field kServiceCheckpointStatusFields[] = {
    {"checkpointID", Shape::kString},
    {"checkpointName", Shape::kString},
    {"identityHash", Shape::kString},
    {"ready", Shape::kBoolean},
};
}  // namespace
constinit const Type kServiceCheckpointStatus{kServiceCheckpointStatusFields};

namespace {
constexpr Field kPlacementStatusFields[] = {
    {"score", Shape::kNumber, kPointer},
    {"state", Shape::kString},
};
}  // namespace
constinit const Type kPlacementStatus{kPlacementStatusFields};

namespace {
constexpr Field kRestartStatusFields[] = {
    {"inProgress", Shape::kString, kListOf},
    {"observedID", Shape::kString},
    {"phase", Shape::kString},
};
}  // namespace
constinit const Type kRestartStatus{kRestartStatusFields};

}  // namespace dynamo::conversion::types
