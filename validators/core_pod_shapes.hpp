// The JSON types of the fields of core Kubernetes types that this API embeds: pod specs,
// containers, probes. In the order in which one needs another; fields sorted by name. Facts of
// Kubernetes 1.35's core API.
#pragma once

#include "validators/core_volume_shapes.hpp"

namespace dynamo::validators::shapes {

inline constexpr Field kNodeSelectorRequirementFields[] = {
    {"key", &kString}, {"operator", &kString}, {"values", &kStrings}};
inline constexpr Shape kNodeSelectorRequirement{Form::kObject, kNodeSelectorRequirementFields};
inline constexpr Shape kNodeSelectorRequirementList{Form::kList, {}, &kNodeSelectorRequirement};
inline constexpr Field kNodeSelectorTermFields[] = {
    {"matchExpressions", &kNodeSelectorRequirementList},
    {"matchFields", &kNodeSelectorRequirementList}};
inline constexpr Shape kNodeSelectorTerm{Form::kObject, kNodeSelectorTermFields};
inline constexpr Field kPreferredSchedulingTermFields[] = {{"preference", &kNodeSelectorTerm},
                                                           {"weight", &kInt32}};
inline constexpr Shape kPreferredSchedulingTerm{Form::kObject, kPreferredSchedulingTermFields};
inline constexpr Shape kNodeSelectorTermList{Form::kList, {}, &kNodeSelectorTerm};
inline constexpr Field kNodeSelectorFields[] = {{"nodeSelectorTerms", &kNodeSelectorTermList}};
inline constexpr Shape kNodeSelector{Form::kObject, kNodeSelectorFields};
inline constexpr Shape kPreferredSchedulingTermList{Form::kList, {}, &kPreferredSchedulingTerm};
inline constexpr Field kNodeAffinityFields[] = {
    {"preferredDuringSchedulingIgnoredDuringExecution", &kPreferredSchedulingTermList},
    {"requiredDuringSchedulingIgnoredDuringExecution", &kNodeSelector}};
inline constexpr Shape kNodeAffinity{Form::kObject, kNodeAffinityFields};
inline constexpr Field kPodAffinityTermFields[] = {
    {"labelSelector", &kLabelSelector}, {"matchLabelKeys", &kStrings},
    {"mismatchLabelKeys", &kStrings},   {"namespaceSelector", &kLabelSelector},
    {"namespaces", &kStrings},          {"topologyKey", &kString}};
inline constexpr Shape kPodAffinityTerm{Form::kObject, kPodAffinityTermFields};
inline constexpr Field kWeightedPodAffinityTermFields[] = {{"podAffinityTerm", &kPodAffinityTerm},
                                                           {"weight", &kInt32}};
inline constexpr Shape kWeightedPodAffinityTerm{Form::kObject, kWeightedPodAffinityTermFields};
inline constexpr Shape kWeightedPodAffinityTermList{Form::kList, {}, &kWeightedPodAffinityTerm};
inline constexpr Shape kPodAffinityTermList{Form::kList, {}, &kPodAffinityTerm};
inline constexpr Field kPodAffinityFields[] = {
    {"preferredDuringSchedulingIgnoredDuringExecution", &kWeightedPodAffinityTermList},
    {"requiredDuringSchedulingIgnoredDuringExecution", &kPodAffinityTermList}};
inline constexpr Shape kPodAffinity{Form::kObject, kPodAffinityFields};
inline constexpr Field kPodAntiAffinityFields[] = {
    {"preferredDuringSchedulingIgnoredDuringExecution", &kWeightedPodAffinityTermList},
    {"requiredDuringSchedulingIgnoredDuringExecution", &kPodAffinityTermList}};
inline constexpr Shape kPodAntiAffinity{Form::kObject, kPodAntiAffinityFields};
inline constexpr Field kAffinityFields[] = {{"nodeAffinity", &kNodeAffinity},
                                            {"podAffinity", &kPodAffinity},
                                            {"podAntiAffinity", &kPodAntiAffinity}};
inline constexpr Shape kAffinity{Form::kObject, kAffinityFields};
inline constexpr Field kConfigMapEnvSourceFields[] = {{"name", &kString}, {"optional", &kBoolean}};
inline constexpr Shape kConfigMapEnvSource{Form::kObject, kConfigMapEnvSourceFields};
inline constexpr Field kSecretEnvSourceFields[] = {{"name", &kString}, {"optional", &kBoolean}};
inline constexpr Shape kSecretEnvSource{Form::kObject, kSecretEnvSourceFields};
inline constexpr Field kEnvFromSourceFields[] = {
    {"configMapRef", &kConfigMapEnvSource}, {"prefix", &kString}, {"secretRef", &kSecretEnvSource}};
inline constexpr Shape kEnvFromSource{Form::kObject, kEnvFromSourceFields};
inline constexpr Field kConfigMapKeySelectorFields[] = {
    {"key", &kString}, {"name", &kString}, {"optional", &kBoolean}};
inline constexpr Shape kConfigMapKeySelector{Form::kObject, kConfigMapKeySelectorFields};
inline constexpr Field kFileKeySelectorFields[] = {
    {"key", &kString}, {"optional", &kBoolean}, {"path", &kString}, {"volumeName", &kString}};
inline constexpr Shape kFileKeySelector{Form::kObject, kFileKeySelectorFields};
inline constexpr Field kSecretKeySelectorFields[] = {
    {"key", &kString}, {"name", &kString}, {"optional", &kBoolean}};
inline constexpr Shape kSecretKeySelector{Form::kObject, kSecretKeySelectorFields};
inline constexpr Field kEnvVarSourceFields[] = {{"configMapKeyRef", &kConfigMapKeySelector},
                                                {"fieldRef", &kObjectFieldSelector},
                                                {"fileKeyRef", &kFileKeySelector},
                                                {"resourceFieldRef", &kResourceFieldSelector},
                                                {"secretKeyRef", &kSecretKeySelector}};
inline constexpr Shape kEnvVarSource{Form::kObject, kEnvVarSourceFields};
inline constexpr Field kEnvVarFields[] = {
    {"name", &kString}, {"value", &kString}, {"valueFrom", &kEnvVarSource}};
inline constexpr Shape kEnvVar{Form::kObject, kEnvVarFields};
inline constexpr Field kExecActionFields[] = {{"command", &kStrings}};
inline constexpr Shape kExecAction{Form::kObject, kExecActionFields};
inline constexpr Field kHTTPHeaderFields[] = {{"name", &kString}, {"value", &kString}};
inline constexpr Shape kHTTPHeader{Form::kObject, kHTTPHeaderFields};
inline constexpr Shape kHTTPHeaderList{Form::kList, {}, &kHTTPHeader};
inline constexpr Field kHTTPGetActionFields[] = {{"host", &kString},
                                                 {"httpHeaders", &kHTTPHeaderList},
                                                 {"path", &kString},
                                                 {"port", &kIntOrString},
                                                 {"scheme", &kString}};
inline constexpr Shape kHTTPGetAction{Form::kObject, kHTTPGetActionFields};
inline constexpr Field kSleepActionFields[] = {{"seconds", &kInt64}};
inline constexpr Shape kSleepAction{Form::kObject, kSleepActionFields};
inline constexpr Field kTCPSocketActionFields[] = {{"host", &kString}, {"port", &kIntOrString}};
inline constexpr Shape kTCPSocketAction{Form::kObject, kTCPSocketActionFields};
inline constexpr Field kLifecycleHandlerFields[] = {{"exec", &kExecAction},
                                                    {"httpGet", &kHTTPGetAction},
                                                    {"sleep", &kSleepAction},
                                                    {"tcpSocket", &kTCPSocketAction}};
inline constexpr Shape kLifecycleHandler{Form::kObject, kLifecycleHandlerFields};
inline constexpr Field kLifecycleFields[] = {
    {"postStart", &kLifecycleHandler}, {"preStop", &kLifecycleHandler}, {"stopSignal", &kString}};
inline constexpr Shape kLifecycle{Form::kObject, kLifecycleFields};
inline constexpr Field kGRPCActionFields[] = {{"port", &kInt32}, {"service", &kString}};
inline constexpr Shape kGRPCAction{Form::kObject, kGRPCActionFields};
inline constexpr Field kProbeFields[] = {{"exec", &kExecAction},
                                         {"failureThreshold", &kInt32},
                                         {"grpc", &kGRPCAction},
                                         {"httpGet", &kHTTPGetAction},
                                         {"initialDelaySeconds", &kInt32},
                                         {"periodSeconds", &kInt32},
                                         {"successThreshold", &kInt32},
                                         {"tcpSocket", &kTCPSocketAction},
                                         {"terminationGracePeriodSeconds", &kInt64},
                                         {"timeoutSeconds", &kInt32}};
inline constexpr Shape kProbe{Form::kObject, kProbeFields};
inline constexpr Field kContainerPortFields[] = {{"containerPort", &kInt32},
                                                 {"hostIP", &kString},
                                                 {"hostPort", &kInt32},
                                                 {"name", &kString},
                                                 {"protocol", &kString}};
inline constexpr Shape kContainerPort{Form::kObject, kContainerPortFields};
inline constexpr Field kContainerResizePolicyFields[] = {{"resourceName", &kString},
                                                         {"restartPolicy", &kString}};
inline constexpr Shape kContainerResizePolicy{Form::kObject, kContainerResizePolicyFields};
inline constexpr Field kResourceClaimFields[] = {{"name", &kString}, {"request", &kString}};
inline constexpr Shape kResourceClaim{Form::kObject, kResourceClaimFields};
inline constexpr Shape kResourceClaimList{Form::kList, {}, &kResourceClaim};
inline constexpr Field kResourceRequirementsFields[] = {
    {"claims", &kResourceClaimList}, {"limits", &kQuantityMap}, {"requests", &kQuantityMap}};
inline constexpr Shape kResourceRequirements{Form::kObject, kResourceRequirementsFields};
inline constexpr Shape kInt32List{Form::kList, {}, &kInt32};
inline constexpr Field kContainerRestartRuleOnExitCodesFields[] = {{"operator", &kString},
                                                                   {"values", &kInt32List}};
inline constexpr Shape kContainerRestartRuleOnExitCodes{Form::kObject,
                                                        kContainerRestartRuleOnExitCodesFields};
inline constexpr Field kContainerRestartRuleFields[] = {
    {"action", &kString}, {"exitCodes", &kContainerRestartRuleOnExitCodes}};
inline constexpr Shape kContainerRestartRule{Form::kObject, kContainerRestartRuleFields};
inline constexpr Field kAppArmorProfileFields[] = {{"localhostProfile", &kString},
                                                   {"type", &kString}};
inline constexpr Shape kAppArmorProfile{Form::kObject, kAppArmorProfileFields};
inline constexpr Field kCapabilitiesFields[] = {{"add", &kStrings}, {"drop", &kStrings}};
inline constexpr Shape kCapabilities{Form::kObject, kCapabilitiesFields};
inline constexpr Field kSELinuxOptionsFields[] = {
    {"level", &kString}, {"role", &kString}, {"type", &kString}, {"user", &kString}};
inline constexpr Shape kSELinuxOptions{Form::kObject, kSELinuxOptionsFields};
inline constexpr Field kSeccompProfileFields[] = {{"localhostProfile", &kString},
                                                  {"type", &kString}};
inline constexpr Shape kSeccompProfile{Form::kObject, kSeccompProfileFields};
inline constexpr Field kWindowsSecurityContextOptionsFields[] = {
    {"gmsaCredentialSpec", &kString},
    {"gmsaCredentialSpecName", &kString},
    {"hostProcess", &kBoolean},
    {"runAsUserName", &kString}};
inline constexpr Shape kWindowsSecurityContextOptions{Form::kObject,
                                                      kWindowsSecurityContextOptionsFields};
inline constexpr Field kSecurityContextFields[] = {
    {"allowPrivilegeEscalation", &kBoolean},
    {"appArmorProfile", &kAppArmorProfile},
    {"capabilities", &kCapabilities},
    {"privileged", &kBoolean},
    {"procMount", &kString},
    {"readOnlyRootFilesystem", &kBoolean},
    {"runAsGroup", &kInt64},
    {"runAsNonRoot", &kBoolean},
    {"runAsUser", &kInt64},
    {"seLinuxOptions", &kSELinuxOptions},
    {"seccompProfile", &kSeccompProfile},
    {"windowsOptions", &kWindowsSecurityContextOptions}};
inline constexpr Shape kSecurityContext{Form::kObject, kSecurityContextFields};
inline constexpr Field kVolumeDeviceFields[] = {{"devicePath", &kString}, {"name", &kString}};
inline constexpr Shape kVolumeDevice{Form::kObject, kVolumeDeviceFields};
inline constexpr Field kVolumeMountFields[] = {
    {"mountPath", &kString},  {"mountPropagation", &kString},  {"name", &kString},
    {"readOnly", &kBoolean},  {"recursiveReadOnly", &kString}, {"subPath", &kString},
    {"subPathExpr", &kString}};
inline constexpr Shape kVolumeMount{Form::kObject, kVolumeMountFields};
inline constexpr Shape kEnvVarList{Form::kList, {}, &kEnvVar};
inline constexpr Shape kEnvFromSourceList{Form::kList, {}, &kEnvFromSource};
inline constexpr Shape kContainerPortList{Form::kList, {}, &kContainerPort};
inline constexpr Shape kContainerResizePolicyList{Form::kList, {}, &kContainerResizePolicy};
inline constexpr Shape kContainerRestartRuleList{Form::kList, {}, &kContainerRestartRule};
inline constexpr Shape kVolumeDeviceList{Form::kList, {}, &kVolumeDevice};
inline constexpr Shape kVolumeMountList{Form::kList, {}, &kVolumeMount};
inline constexpr Field kContainerFields[] = {{"args", &kStrings},
                                             {"command", &kStrings},
                                             {"env", &kEnvVarList},
                                             {"envFrom", &kEnvFromSourceList},
                                             {"image", &kString},
                                             {"imagePullPolicy", &kString},
                                             {"lifecycle", &kLifecycle},
                                             {"livenessProbe", &kProbe},
                                             {"name", &kString},
                                             {"ports", &kContainerPortList},
                                             {"readinessProbe", &kProbe},
                                             {"resizePolicy", &kContainerResizePolicyList},
                                             {"resources", &kResourceRequirements},
                                             {"restartPolicy", &kString},
                                             {"restartPolicyRules", &kContainerRestartRuleList},
                                             {"securityContext", &kSecurityContext},
                                             {"startupProbe", &kProbe},
                                             {"stdin", &kBoolean},
                                             {"stdinOnce", &kBoolean},
                                             {"terminationMessagePath", &kString},
                                             {"terminationMessagePolicy", &kString},
                                             {"tty", &kBoolean},
                                             {"volumeDevices", &kVolumeDeviceList},
                                             {"volumeMounts", &kVolumeMountList},
                                             {"workingDir", &kString}};
inline constexpr Shape kContainer{Form::kObject, kContainerFields};
inline constexpr Field kPodDNSConfigOptionFields[] = {{"name", &kString}, {"value", &kString}};
inline constexpr Shape kPodDNSConfigOption{Form::kObject, kPodDNSConfigOptionFields};
inline constexpr Shape kPodDNSConfigOptionList{Form::kList, {}, &kPodDNSConfigOption};
inline constexpr Field kPodDNSConfigFields[] = {
    {"nameservers", &kStrings}, {"options", &kPodDNSConfigOptionList}, {"searches", &kStrings}};
inline constexpr Shape kPodDNSConfig{Form::kObject, kPodDNSConfigFields};
inline constexpr Field kEphemeralContainerFields[] = {
    {"args", &kStrings},
    {"command", &kStrings},
    {"env", &kEnvVarList},
    {"envFrom", &kEnvFromSourceList},
    {"image", &kString},
    {"imagePullPolicy", &kString},
    {"lifecycle", &kLifecycle},
    {"livenessProbe", &kProbe},
    {"name", &kString},
    {"ports", &kContainerPortList},
    {"readinessProbe", &kProbe},
    {"resizePolicy", &kContainerResizePolicyList},
    {"resources", &kResourceRequirements},
    {"restartPolicy", &kString},
    {"restartPolicyRules", &kContainerRestartRuleList},
    {"securityContext", &kSecurityContext},
    {"startupProbe", &kProbe},
    {"stdin", &kBoolean},
    {"stdinOnce", &kBoolean},
    {"targetContainerName", &kString},
    {"terminationMessagePath", &kString},
    {"terminationMessagePolicy", &kString},
    {"tty", &kBoolean},
    {"volumeDevices", &kVolumeDeviceList},
    {"volumeMounts", &kVolumeMountList},
    {"workingDir", &kString}};
inline constexpr Shape kEphemeralContainer{Form::kObject, kEphemeralContainerFields};
inline constexpr Field kHostAliasFields[] = {{"hostnames", &kStrings}, {"ip", &kString}};
inline constexpr Shape kHostAlias{Form::kObject, kHostAliasFields};
inline constexpr Field kPodOSFields[] = {{"name", &kString}};
inline constexpr Shape kPodOS{Form::kObject, kPodOSFields};
inline constexpr Field kPodReadinessGateFields[] = {{"conditionType", &kString}};
inline constexpr Shape kPodReadinessGate{Form::kObject, kPodReadinessGateFields};
inline constexpr Field kPodResourceClaimFields[] = {
    {"name", &kString}, {"resourceClaimName", &kString}, {"resourceClaimTemplateName", &kString}};
inline constexpr Shape kPodResourceClaim{Form::kObject, kPodResourceClaimFields};
inline constexpr Field kPodSchedulingGateFields[] = {{"name", &kString}};
inline constexpr Shape kPodSchedulingGate{Form::kObject, kPodSchedulingGateFields};
inline constexpr Field kSysctlFields[] = {{"name", &kString}, {"value", &kString}};
inline constexpr Shape kSysctl{Form::kObject, kSysctlFields};
inline constexpr Shape kInt64List{Form::kList, {}, &kInt64};
inline constexpr Shape kSysctlList{Form::kList, {}, &kSysctl};
inline constexpr Field kPodSecurityContextFields[] = {
    {"appArmorProfile", &kAppArmorProfile},
    {"fsGroup", &kInt64},
    {"fsGroupChangePolicy", &kString},
    {"runAsGroup", &kInt64},
    {"runAsNonRoot", &kBoolean},
    {"runAsUser", &kInt64},
    {"seLinuxChangePolicy", &kString},
    {"seLinuxOptions", &kSELinuxOptions},
    {"seccompProfile", &kSeccompProfile},
    {"supplementalGroups", &kInt64List},
    {"supplementalGroupsPolicy", &kString},
    {"sysctls", &kSysctlList},
    {"windowsOptions", &kWindowsSecurityContextOptions}};
inline constexpr Shape kPodSecurityContext{Form::kObject, kPodSecurityContextFields};
inline constexpr Field kTolerationFields[] = {{"effect", &kString},
                                              {"key", &kString},
                                              {"operator", &kString},
                                              {"tolerationSeconds", &kInt64},
                                              {"value", &kString}};
inline constexpr Shape kToleration{Form::kObject, kTolerationFields};
inline constexpr Field kTopologySpreadConstraintFields[] = {{"labelSelector", &kLabelSelector},
                                                            {"matchLabelKeys", &kStrings},
                                                            {"maxSkew", &kInt32},
                                                            {"minDomains", &kInt32},
                                                            {"nodeAffinityPolicy", &kString},
                                                            {"nodeTaintsPolicy", &kString},
                                                            {"topologyKey", &kString},
                                                            {"whenUnsatisfiable", &kString}};
inline constexpr Shape kTopologySpreadConstraint{Form::kObject, kTopologySpreadConstraintFields};
inline constexpr Shape kContainerList{Form::kList, {}, &kContainer};
inline constexpr Shape kEphemeralContainerList{Form::kList, {}, &kEphemeralContainer};
inline constexpr Shape kHostAliasList{Form::kList, {}, &kHostAlias};
inline constexpr Shape kLocalObjectReferenceList{Form::kList, {}, &kLocalObjectReference};
inline constexpr Shape kPodReadinessGateList{Form::kList, {}, &kPodReadinessGate};
inline constexpr Shape kPodResourceClaimList{Form::kList, {}, &kPodResourceClaim};
inline constexpr Shape kPodSchedulingGateList{Form::kList, {}, &kPodSchedulingGate};
inline constexpr Shape kTolerationList{Form::kList, {}, &kToleration};
inline constexpr Shape kTopologySpreadConstraintList{Form::kList, {}, &kTopologySpreadConstraint};
inline constexpr Shape kVolumeList{Form::kList, {}, &kVolume};
inline constexpr Field kPodSpecFields[] = {
    {"activeDeadlineSeconds", &kInt64},
    {"affinity", &kAffinity},
    {"automountServiceAccountToken", &kBoolean},
    {"containers", &kContainerList},
    {"dnsConfig", &kPodDNSConfig},
    {"dnsPolicy", &kString},
    {"enableServiceLinks", &kBoolean},
    {"ephemeralContainers", &kEphemeralContainerList},
    {"hostAliases", &kHostAliasList},
    {"hostIPC", &kBoolean},
    {"hostNetwork", &kBoolean},
    {"hostPID", &kBoolean},
    {"hostUsers", &kBoolean},
    {"hostname", &kString},
    {"hostnameOverride", &kString},
    {"imagePullSecrets", &kLocalObjectReferenceList},
    {"initContainers", &kContainerList},
    {"nodeName", &kString},
    {"nodeSelector", &kStringMap},
    {"os", &kPodOS},
    {"overhead", &kQuantityMap},
    {"preemptionPolicy", &kString},
    {"priority", &kInt32},
    {"priorityClassName", &kString},
    {"readinessGates", &kPodReadinessGateList},
    {"resourceClaims", &kPodResourceClaimList},
    {"resources", &kResourceRequirements},
    {"restartPolicy", &kString},
    {"runtimeClassName", &kString},
    {"schedulerName", &kString},
    {"schedulingGates", &kPodSchedulingGateList},
    {"securityContext", &kPodSecurityContext},
    {"serviceAccount", &kString},
    {"serviceAccountName", &kString},
    {"setHostnameAsFQDN", &kBoolean},
    {"shareProcessNamespace", &kBoolean},
    {"subdomain", &kString},
    {"terminationGracePeriodSeconds", &kInt64},
    {"tolerations", &kTolerationList},
    {"topologySpreadConstraints", &kTopologySpreadConstraintList},
    {"volumes", &kVolumeList}};
inline constexpr Shape kPodSpec{Form::kObject, kPodSpecFields};
inline constexpr Field kHPAScalingPolicyFields[] = {
    {"periodSeconds", &kInt32}, {"type", &kString}, {"value", &kInt32}};
inline constexpr Shape kHPAScalingPolicy{Form::kObject, kHPAScalingPolicyFields};
inline constexpr Shape kHPAScalingPolicyList{Form::kList, {}, &kHPAScalingPolicy};
inline constexpr Field kHPAScalingRulesFields[] = {{"policies", &kHPAScalingPolicyList},
                                                   {"selectPolicy", &kString},
                                                   {"stabilizationWindowSeconds", &kInt32},
                                                   {"tolerance", &kQuantity}};
inline constexpr Shape kHPAScalingRules{Form::kObject, kHPAScalingRulesFields};
inline constexpr Field kHorizontalPodAutoscalerBehaviorFields[] = {{"scaleDown", &kHPAScalingRules},
                                                                   {"scaleUp", &kHPAScalingRules}};
inline constexpr Shape kHorizontalPodAutoscalerBehavior{Form::kObject,
                                                        kHorizontalPodAutoscalerBehaviorFields};
inline constexpr Field kMetricTargetFields[] = {{"averageUtilization", &kInt32},
                                                {"averageValue", &kQuantity},
                                                {"type", &kString},
                                                {"value", &kQuantity}};
inline constexpr Shape kMetricTarget{Form::kObject, kMetricTargetFields};
inline constexpr Field kContainerResourceMetricSourceFields[] = {
    {"container", &kString}, {"name", &kString}, {"target", &kMetricTarget}};
inline constexpr Shape kContainerResourceMetricSource{Form::kObject,
                                                      kContainerResourceMetricSourceFields};
inline constexpr Field kMetricIdentifierFields[] = {{"name", &kString},
                                                    {"selector", &kLabelSelector}};
inline constexpr Shape kMetricIdentifier{Form::kObject, kMetricIdentifierFields};
inline constexpr Field kExternalMetricSourceFields[] = {{"metric", &kMetricIdentifier},
                                                        {"target", &kMetricTarget}};
inline constexpr Shape kExternalMetricSource{Form::kObject, kExternalMetricSourceFields};
inline constexpr Field kCrossVersionObjectReferenceFields[] = {
    {"apiVersion", &kString}, {"kind", &kString}, {"name", &kString}};
inline constexpr Shape kCrossVersionObjectReference{Form::kObject,
                                                    kCrossVersionObjectReferenceFields};
inline constexpr Field kObjectMetricSourceFields[] = {
    {"describedObject", &kCrossVersionObjectReference},
    {"metric", &kMetricIdentifier},
    {"target", &kMetricTarget}};
inline constexpr Shape kObjectMetricSource{Form::kObject, kObjectMetricSourceFields};
inline constexpr Field kPodsMetricSourceFields[] = {{"metric", &kMetricIdentifier},
                                                    {"target", &kMetricTarget}};
inline constexpr Shape kPodsMetricSource{Form::kObject, kPodsMetricSourceFields};
inline constexpr Field kResourceMetricSourceFields[] = {{"name", &kString},
                                                        {"target", &kMetricTarget}};
inline constexpr Shape kResourceMetricSource{Form::kObject, kResourceMetricSourceFields};
inline constexpr Field kMetricSpecFields[] = {
    {"containerResource", &kContainerResourceMetricSource},
    {"external", &kExternalMetricSource},
    {"object", &kObjectMetricSource},
    {"pods", &kPodsMetricSource},
    {"resource", &kResourceMetricSource},
    {"type", &kString}};
inline constexpr Shape kMetricSpec{Form::kObject, kMetricSpecFields};

}  // namespace dynamo::validators::shapes
