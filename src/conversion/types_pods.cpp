// Core types of pods, jobs and autoscalers, and of object metadata.
#include "conversion/types.hpp"

namespace dynamo::conversion::types {

namespace {
constexpr Field kManagedFieldsEntryFields[] = {
    {"apiVersion", Shape::kString},         {"fieldsType", Shape::kString},
    {"fieldsV1", Shape::kOpaque, kPointer}, {"manager", Shape::kString},
    {"operation", Shape::kString},          {"subresource", Shape::kString},
    {"time", Shape::kTime, kPointer},
};
constexpr Type kManagedFieldsEntry{kManagedFieldsEntryFields};

constexpr Field kOwnerReferenceFields[] = {
    {"apiVersion", Shape::kString, kAlways},   {"blockOwnerDeletion", Shape::kBoolean, kPointer},
    {"controller", Shape::kBoolean, kPointer}, {"kind", Shape::kString, kAlways},
    {"name", Shape::kString, kAlways},         {"uid", Shape::kString, kAlways},
};
constexpr Type kOwnerReference{kOwnerReferenceFields};

constexpr Field kObjectMetaFields[] = {
    {"annotations", Shape::kString, kMapOf},
    {"creationTimestamp", Shape::kTime, kPointer},
    {"deletionGracePeriodSeconds", Shape::kInteger64, kPointer},
    {"deletionTimestamp", Shape::kTime, kPointer},
    {"finalizers", Shape::kString, kListOf},
    {"generateName", Shape::kString},
    {"generation", Shape::kInteger64},
    {"labels", Shape::kString, kMapOf},
    {"managedFields", kManagedFieldsEntry, kListOf},
    {"name", Shape::kString},
    {"namespace", Shape::kString},
    {"ownerReferences", kOwnerReference, kListOf},
    {"resourceVersion", Shape::kString},
    {"selfLink", Shape::kString},
    {"uid", Shape::kString},
};
}  // namespace
constinit const Type kObjectMeta{kObjectMetaFields};

namespace {
constexpr Field kHPAScalingPolicyFields[] = {
    {"periodSeconds", Shape::kInteger32, kAlways},
    {"type", Shape::kString, kAlways},
    {"value", Shape::kInteger32, kAlways},
};
constexpr Type kHPAScalingPolicy{kHPAScalingPolicyFields};

constexpr Field kHPAScalingRulesFields[] = {
    {"policies", kHPAScalingPolicy, kListOf},
    {"selectPolicy", Shape::kString, kPointer},
    {"stabilizationWindowSeconds", Shape::kInteger32, kPointer},
    {"tolerance", Shape::kQuantity, kPointer},
};
constexpr Type kHPAScalingRules{kHPAScalingRulesFields};

constexpr Field kHorizontalPodAutoscalerBehaviorFields[] = {
    {"scaleDown", kHPAScalingRules, kPointer},
    {"scaleUp", kHPAScalingRules, kPointer},
};
}  // namespace
constinit const Type kHorizontalPodAutoscalerBehavior{kHorizontalPodAutoscalerBehaviorFields};

namespace {
constexpr Field kMetricTargetFields[] = {
    {"averageUtilization", Shape::kInteger32, kPointer},
    {"averageValue", Shape::kQuantity, kPointer},
    {"type", Shape::kString, kAlways},
    {"value", Shape::kQuantity, kPointer},
};
}  // namespace
constinit const Type kMetricTarget{kMetricTargetFields};

namespace {
constexpr Field kLabelSelectorRequirementFields[] = {
    {"key", Shape::kString, kAlways},
    {"operator", Shape::kString, kAlways},
    {"values", Shape::kString, kListOf},
};
constexpr Type kLabelSelectorRequirement{kLabelSelectorRequirementFields};

constexpr Field kLabelSelectorFields[] = {
    {"matchExpressions", kLabelSelectorRequirement, kListOf},
    {"matchLabels", Shape::kString, kMapOf},
};
}  // namespace
constinit const Type kLabelSelector{kLabelSelectorFields};

namespace {
constexpr Field kMetricIdentifierFields[] = {
    {"name", Shape::kString, kAlways},
    {"selector", kLabelSelector, kPointer},
};
constexpr Type kMetricIdentifier{kMetricIdentifierFields};

constexpr Field kExternalMetricSourceFields[] = {
    {"metric", kMetricIdentifier},
    {"target", kMetricTarget},
};
constexpr Type kExternalMetricSource{kExternalMetricSourceFields};

constexpr Field kCrossVersionObjectReferenceFields[] = {
    {"apiVersion", Shape::kString},
    {"kind", Shape::kString, kAlways},
    {"name", Shape::kString, kAlways},
};
constexpr Type kCrossVersionObjectReference{kCrossVersionObjectReferenceFields};

constexpr Field kObjectMetricSourceFields[] = {
    {"describedObject", kCrossVersionObjectReference},
    {"metric", kMetricIdentifier},
    {"target", kMetricTarget},
};
constexpr Type kObjectMetricSource{kObjectMetricSourceFields};

constexpr Field kPodsMetricSourceFields[] = {
    {"metric", kMetricIdentifier},
    {"target", kMetricTarget},
};
constexpr Type kPodsMetricSource{kPodsMetricSourceFields};

constexpr Field kMetricSpecFields[] = {
    {"containerResource", kContainerResourceMetricSource, kPointer},
    {"external", kExternalMetricSource, kPointer},
    {"object", kObjectMetricSource, kPointer},
    {"pods", kPodsMetricSource, kPointer},
    {"resource", kResourceMetricSource, kPointer},
    {"type", Shape::kString, kAlways},
};
}  // namespace
constinit const Type kMetricSpec{kMetricSpecFields};

namespace {
constexpr Field kNodeSelectorRequirementFields[] = {
    {"key", Shape::kString, kAlways},
    {"operator", Shape::kString, kAlways},
    {"values", Shape::kString, kListOf},
};
constexpr Type kNodeSelectorRequirement{kNodeSelectorRequirementFields};

constexpr Field kNodeSelectorTermFields[] = {
    {"matchExpressions", kNodeSelectorRequirement, kListOf},
    {"matchFields", kNodeSelectorRequirement, kListOf},
};
constexpr Type kNodeSelectorTerm{kNodeSelectorTermFields};

constexpr Field kPreferredSchedulingTermFields[] = {
    {"preference", kNodeSelectorTerm},
    {"weight", Shape::kInteger32, kAlways},
};
constexpr Type kPreferredSchedulingTerm{kPreferredSchedulingTermFields};

constexpr Field kNodeSelectorFields[] = {
    {"nodeSelectorTerms", kNodeSelectorTerm, kListOf | kAlways},
};
constexpr Type kNodeSelector{kNodeSelectorFields};

constexpr Field kNodeAffinityFields[] = {
    {"preferredDuringSchedulingIgnoredDuringExecution", kPreferredSchedulingTerm, kListOf},
    {"requiredDuringSchedulingIgnoredDuringExecution", kNodeSelector, kPointer},
};
constexpr Type kNodeAffinity{kNodeAffinityFields};

constexpr Field kPodAffinityTermFields[] = {
    {"labelSelector", kLabelSelector, kPointer},    {"matchLabelKeys", Shape::kString, kListOf},
    {"mismatchLabelKeys", Shape::kString, kListOf}, {"namespaceSelector", kLabelSelector, kPointer},
    {"namespaces", Shape::kString, kListOf},        {"topologyKey", Shape::kString, kAlways},
};
constexpr Type kPodAffinityTerm{kPodAffinityTermFields};

constexpr Field kWeightedPodAffinityTermFields[] = {
    {"podAffinityTerm", kPodAffinityTerm},
    {"weight", Shape::kInteger32, kAlways},
};
constexpr Type kWeightedPodAffinityTerm{kWeightedPodAffinityTermFields};

constexpr Field kPodAffinityFields[] = {
    {"preferredDuringSchedulingIgnoredDuringExecution", kWeightedPodAffinityTerm, kListOf},
    {"requiredDuringSchedulingIgnoredDuringExecution", kPodAffinityTerm, kListOf},
};
constexpr Type kPodAffinity{kPodAffinityFields};

constexpr Field kPodAntiAffinityFields[] = {
    {"preferredDuringSchedulingIgnoredDuringExecution", kWeightedPodAffinityTerm, kListOf},
    {"requiredDuringSchedulingIgnoredDuringExecution", kPodAffinityTerm, kListOf},
};
constexpr Type kPodAntiAffinity{kPodAntiAffinityFields};

constexpr Field kAffinityFields[] = {
    {"nodeAffinity", kNodeAffinity, kPointer},
    {"podAffinity", kPodAffinity, kPointer},
    {"podAntiAffinity", kPodAntiAffinity, kPointer},
};
}  // namespace
constinit const Type kAffinity{kAffinityFields};

namespace {
constexpr Field kPodDNSConfigOptionFields[] = {
    {"name", Shape::kString},
    {"value", Shape::kString, kPointer},
};
constexpr Type kPodDNSConfigOption{kPodDNSConfigOptionFields};

constexpr Field kPodDNSConfigFields[] = {
    {"nameservers", Shape::kString, kListOf},
    {"options", kPodDNSConfigOption, kListOf},
    {"searches", Shape::kString, kListOf},
};
}  // namespace
constinit const Type kPodDNSConfig{kPodDNSConfigFields};

namespace {
constexpr Field kHostAliasFields[] = {
    {"hostnames", Shape::kString, kListOf},
    {"ip", Shape::kString, kAlways},
};
}  // namespace
constinit const Type kHostAlias{kHostAliasFields};

namespace {
constexpr Field kLocalObjectReferenceFields[] = {
    {"name", Shape::kString},
};
}  // namespace
constinit const Type kLocalObjectReference{kLocalObjectReferenceFields};

namespace {
constexpr Field kPodOSFields[] = {
    {"name", Shape::kString, kAlways},
};
}  // namespace
constinit const Type kPodOS{kPodOSFields};

namespace {
constexpr Field kPodReadinessGateFields[] = {
    {"conditionType", Shape::kString, kAlways},
};
}  // namespace
constinit const Type kPodReadinessGate{kPodReadinessGateFields};

namespace {
constexpr Field kPodResourceClaimFields[] = {
    {"name", Shape::kString, kAlways},
    {"resourceClaimName", Shape::kString, kPointer},
    {"resourceClaimTemplateName", Shape::kString, kPointer},
};
}  // namespace
constinit const Type kPodResourceClaim{kPodResourceClaimFields};

namespace {
constexpr Field kPodSchedulingGateFields[] = {
    {"name", Shape::kString, kAlways},
};
}  // namespace
constinit const Type kPodSchedulingGate{kPodSchedulingGateFields};

namespace {
constexpr Field kPodSchedulingGroupFields[] = {
    {"podGroupName", Shape::kString, kPointer},
};
}  // namespace
constinit const Type kPodSchedulingGroup{kPodSchedulingGroupFields};

namespace {
constexpr Field kSysctlFields[] = {
    {"name", Shape::kString, kAlways},
    {"value", Shape::kString, kAlways},
};
constexpr Type kSysctl{kSysctlFields};

constexpr Field kPodSecurityContextFields[] = {
    {"appArmorProfile", kAppArmorProfile, kPointer},
    {"fsGroup", Shape::kInteger64, kPointer},
    {"fsGroupChangePolicy", Shape::kString, kPointer},
    {"runAsGroup", Shape::kInteger64, kPointer},
    {"runAsNonRoot", Shape::kBoolean, kPointer},
    {"runAsUser", Shape::kInteger64, kPointer},
    {"seLinuxChangePolicy", Shape::kString, kPointer},
    {"seLinuxOptions", kSELinuxOptions, kPointer},
    {"seccompProfile", kSeccompProfile, kPointer},
    {"supplementalGroups", Shape::kInteger64, kListOf},
    {"supplementalGroupsPolicy", Shape::kString, kPointer},
    {"sysctls", kSysctl, kListOf},
    {"windowsOptions", kWindowsSecurityContextOptions, kPointer},
};
}  // namespace
constinit const Type kPodSecurityContext{kPodSecurityContextFields};

namespace {
constexpr Field kTolerationFields[] = {
    {"effect", Shape::kString},   {"key", Shape::kString},
    {"operator", Shape::kString}, {"tolerationSeconds", Shape::kInteger64, kPointer},
    {"value", Shape::kString},
};
}  // namespace
constinit const Type kToleration{kTolerationFields};

namespace {
constexpr Field kTopologySpreadConstraintFields[] = {
    {"labelSelector", kLabelSelector, kPointer},
    {"matchLabelKeys", Shape::kString, kListOf},
    {"maxSkew", Shape::kInteger32, kAlways},
    {"minDomains", Shape::kInteger32, kPointer},
    {"nodeAffinityPolicy", Shape::kString, kPointer},
    {"nodeTaintsPolicy", Shape::kString, kPointer},
    {"topologyKey", Shape::kString, kAlways},
    {"whenUnsatisfiable", Shape::kString, kAlways},
};
}  // namespace
constinit const Type kTopologySpreadConstraint{kTopologySpreadConstraintFields};

namespace {
constexpr Field kPodSpecFields[] = {
    {"activeDeadlineSeconds", Shape::kInteger64, kPointer},
    {"affinity", kAffinity, kPointer},
    {"automountServiceAccountToken", Shape::kBoolean, kPointer},
    {"containers", kContainer, kListOf | kAlways},
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
constinit const Type kPodSpec{kPodSpecFields};

namespace {
constexpr Field kPodTemplateSpecFields[] = {
    {"metadata", kObjectMeta},
    {"spec", kPodSpec},
};
}  // namespace
constinit const Type kPodTemplateSpec{kPodTemplateSpecFields};

namespace {
constexpr Field kConditionFields[] = {
    {"lastTransitionTime", Shape::kTime, kAlways}, {"message", Shape::kString, kAlways},
    {"observedGeneration", Shape::kInteger64},     {"reason", Shape::kString, kAlways},
    {"status", Shape::kString, kAlways},           {"type", Shape::kString, kAlways},
};
}  // namespace
constinit const Type kCondition{kConditionFields};

namespace {
constexpr Field kPodFailurePolicyOnExitCodesRequirementFields[] = {
    {"containerName", Shape::kString, kPointer},
    {"operator", Shape::kString, kAlways},
    {"values", Shape::kInteger32, kListOf | kAlways},
};
constexpr Type kPodFailurePolicyOnExitCodesRequirement{
    kPodFailurePolicyOnExitCodesRequirementFields};

constexpr Field kPodFailurePolicyOnPodConditionsPatternFields[] = {
    {"status", Shape::kString},
    {"type", Shape::kString, kAlways},
};
constexpr Type kPodFailurePolicyOnPodConditionsPattern{
    kPodFailurePolicyOnPodConditionsPatternFields};

constexpr Field kPodFailurePolicyRuleFields[] = {
    {"action", Shape::kString, kAlways},
    {"onExitCodes", kPodFailurePolicyOnExitCodesRequirement, kPointer},
    {"onPodConditions", kPodFailurePolicyOnPodConditionsPattern, kListOf},
};
constexpr Type kPodFailurePolicyRule{kPodFailurePolicyRuleFields};

constexpr Field kPodFailurePolicyFields[] = {
    {"rules", kPodFailurePolicyRule, kListOf | kAlways},
};
constexpr Type kPodFailurePolicy{kPodFailurePolicyFields};

constexpr Field kSuccessPolicyRuleFields[] = {
    {"succeededCount", Shape::kInteger32, kPointer},
    {"succeededIndexes", Shape::kString, kPointer},
};
constexpr Type kSuccessPolicyRule{kSuccessPolicyRuleFields};

constexpr Field kSuccessPolicyFields[] = {
    {"rules", kSuccessPolicyRule, kListOf | kAlways},
};
constexpr Type kSuccessPolicy{kSuccessPolicyFields};

constexpr Field kJobSpecFields[] = {
    {"activeDeadlineSeconds", Shape::kInteger64, kPointer},
    {"backoffLimit", Shape::kInteger32, kPointer},
    {"backoffLimitPerIndex", Shape::kInteger32, kPointer},
    {"completionMode", Shape::kString, kPointer},
    {"completions", Shape::kInteger32, kPointer},
    {"managedBy", Shape::kString, kPointer},
    {"manualSelector", Shape::kBoolean, kPointer},
    {"maxFailedIndexes", Shape::kInteger32, kPointer},
    {"parallelism", Shape::kInteger32, kPointer},
    {"podFailurePolicy", kPodFailurePolicy, kPointer},
    {"podReplacementPolicy", Shape::kString, kPointer},
    {"selector", kLabelSelector, kPointer},
    {"successPolicy", kSuccessPolicy, kPointer},
    {"suspend", Shape::kBoolean, kPointer},
    {"template", kPodTemplateSpec},
    {"ttlSecondsAfterFinished", Shape::kInteger32, kPointer},
};
}  // namespace
constinit const Type kJobSpec{kJobSpecFields};

}  // namespace dynamo::conversion::types
