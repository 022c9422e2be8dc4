// Core types around a container.
#include "conversion/types.hpp"

namespace dynamo::conversion::types {

namespace {
constexpr Field kContainerResourceMetricSourceFields[] = {
    {"container", Shape::kString, kAlways},
    {"name", Shape::kString, kAlways},
    {"target", kMetricTarget},
};
}  // namespace
constinit const Type kContainerResourceMetricSource{kContainerResourceMetricSourceFields};

namespace {
constexpr Field kResourceMetricSourceFields[] = {
    {"name", Shape::kString, kAlways},
    {"target", kMetricTarget},
};
}  // namespace
constinit const Type kResourceMetricSource{kResourceMetricSourceFields};

namespace {
constexpr Field kConfigMapKeySelectorFields[] = {
    {"key", Shape::kString, kAlways},
    {"name", Shape::kString},
    {"optional", Shape::kBoolean, kPointer},
};
}  // namespace
constinit const Type kConfigMapKeySelector{kConfigMapKeySelectorFields};

namespace {
constexpr Field kObjectFieldSelectorFields[] = {
    {"apiVersion", Shape::kString},
    {"fieldPath", Shape::kString, kAlways},
};
}  // namespace
constinit const Type kObjectFieldSelector{kObjectFieldSelectorFields};

namespace {
constexpr Field kFileKeySelectorFields[] = {
    {"key", Shape::kString, kAlways},
    {"optional", Shape::kBoolean, kPointer},
    {"path", Shape::kString, kAlways},
    {"volumeName", Shape::kString, kAlways},
};
constexpr Type kFileKeySelector{kFileKeySelectorFields};

constexpr Field kResourceFieldSelectorFields[] = {
    {"containerName", Shape::kString},
    {"divisor", Shape::kQuantity, kAlways},
    {"resource", Shape::kString, kAlways},
};
}  // namespace
constinit const Type kResourceFieldSelector{kResourceFieldSelectorFields};

namespace {
constexpr Field kSecretKeySelectorFields[] = {
    {"key", Shape::kString, kAlways},
    {"name", Shape::kString},
    {"optional", Shape::kBoolean, kPointer},
};
constexpr Type kSecretKeySelector{kSecretKeySelectorFields};

constexpr Field kEnvVarSourceFields[] = {
    {"configMapKeyRef", kConfigMapKeySelector, kPointer},
    {"fieldRef", kObjectFieldSelector, kPointer},
    {"fileKeyRef", kFileKeySelector, kPointer},
    {"resourceFieldRef", kResourceFieldSelector, kPointer},
    {"secretKeyRef", kSecretKeySelector, kPointer},
};
constexpr Type kEnvVarSource{kEnvVarSourceFields};

constexpr Field kEnvVarFields[] = {
    {"name", Shape::kString, kAlways},
    {"value", Shape::kString},
    {"valueFrom", kEnvVarSource, kPointer},
};
}  // namespace
constinit const Type kEnvVar{kEnvVarFields};

namespace {
constexpr Field kConfigMapEnvSourceFields[] = {
    {"name", Shape::kString},
    {"optional", Shape::kBoolean, kPointer},
};
constexpr Type kConfigMapEnvSource{kConfigMapEnvSourceFields};

constexpr Field kSecretEnvSourceFields[] = {
    {"name", Shape::kString},
    {"optional", Shape::kBoolean, kPointer},
};
}  // namespace
constinit const Type kSecretEnvSource{kSecretEnvSourceFields};

namespace {
constexpr Field kEnvFromSourceFields[] = {
    {"configMapRef", kConfigMapEnvSource, kPointer},
    {"prefix", Shape::kString},
    {"secretRef", kSecretEnvSource, kPointer},
};
}  // namespace
constinit const Type kEnvFromSource{kEnvFromSourceFields};

namespace {
constexpr Field kExecActionFields[] = {
    {"command", Shape::kString, kListOf},
};
constexpr Type kExecAction{kExecActionFields};

constexpr Field kHTTPHeaderFields[] = {
    {"name", Shape::kString, kAlways},
    {"value", Shape::kString, kAlways},
};
constexpr Type kHTTPHeader{kHTTPHeaderFields};

constexpr Field kHTTPGetActionFields[] = {
    {"host", Shape::kString},   {"httpHeaders", kHTTPHeader, kListOf},
    {"path", Shape::kString},   {"port", Shape::kPort, kAlways},
    {"scheme", Shape::kString},
};
constexpr Type kHTTPGetAction{kHTTPGetActionFields};

constexpr Field kSleepActionFields[] = {
    {"seconds", Shape::kInteger64, kAlways},
};
constexpr Type kSleepAction{kSleepActionFields};

constexpr Field kTCPSocketActionFields[] = {
    {"host", Shape::kString},
    {"port", Shape::kPort, kAlways},
};
constexpr Type kTCPSocketAction{kTCPSocketActionFields};

constexpr Field kLifecycleHandlerFields[] = {
    {"exec", kExecAction, kPointer},
    {"httpGet", kHTTPGetAction, kPointer},
    {"sleep", kSleepAction, kPointer},
    {"tcpSocket", kTCPSocketAction, kPointer},
};
constexpr Type kLifecycleHandler{kLifecycleHandlerFields};

constexpr Field kLifecycleFields[] = {
    {"postStart", kLifecycleHandler, kPointer},
    {"preStop", kLifecycleHandler, kPointer},
    {"stopSignal", Shape::kString, kPointer},
};
constexpr Type kLifecycle{kLifecycleFields};

constexpr Field kGRPCActionFields[] = {
    {"port", Shape::kInteger32, kAlways},
    {"service", Shape::kString, kPointer | kAlways},
};
constexpr Type kGRPCAction{kGRPCActionFields};

constexpr Field kProbeFields[] = {
    {"exec", kExecAction, kPointer},
    {"failureThreshold", Shape::kInteger32},
    {"grpc", kGRPCAction, kPointer},
    {"httpGet", kHTTPGetAction, kPointer},
    {"initialDelaySeconds", Shape::kInteger32},
    {"periodSeconds", Shape::kInteger32},
    {"successThreshold", Shape::kInteger32},
    {"tcpSocket", kTCPSocketAction, kPointer},
    {"terminationGracePeriodSeconds", Shape::kInteger64, kPointer},
    {"timeoutSeconds", Shape::kInteger32},
};
}  // namespace
constinit const Type kProbe{kProbeFields};

namespace {
constexpr Field kContainerPortFields[] = {
    {"containerPort", Shape::kInteger32, kAlways},
    {"hostIP", Shape::kString},
    {"hostPort", Shape::kInteger32},
    {"name", Shape::kString},
    {"protocol", Shape::kString},
};
constexpr Type kContainerPort{kContainerPortFields};

constexpr Field kContainerResizePolicyFields[] = {
    {"resourceName", Shape::kString, kAlways},
    {"restartPolicy", Shape::kString, kAlways},
};
constexpr Type kContainerResizePolicy{kContainerResizePolicyFields};

constexpr Field kResourceClaimFields[] = {
    {"name", Shape::kString, kAlways},
    {"request", Shape::kString},
};
}  // namespace
constinit const Type kResourceClaim{kResourceClaimFields};

namespace {
constexpr Field kResourceRequirementsFields[] = {
    {"claims", kResourceClaim, kListOf},
    {"limits", Shape::kQuantity, kMapOf},
    {"requests", Shape::kQuantity, kMapOf},
};
}  // namespace
constinit const Type kResourceRequirements{kResourceRequirementsFields};

namespace {
constexpr Field kContainerRestartRuleOnExitCodesFields[] = {
    {"operator", Shape::kString},
    {"values", Shape::kInteger32, kListOf},
};
constexpr Type kContainerRestartRuleOnExitCodes{kContainerRestartRuleOnExitCodesFields};

constexpr Field kContainerRestartRuleFields[] = {
    {"action", Shape::kString},
    {"exitCodes", kContainerRestartRuleOnExitCodes, kPointer},
};
constexpr Type kContainerRestartRule{kContainerRestartRuleFields};

constexpr Field kAppArmorProfileFields[] = {
    {"localhostProfile", Shape::kString, kPointer},
    {"type", Shape::kString, kAlways},
};
}  // namespace
constinit const Type kAppArmorProfile{kAppArmorProfileFields};

namespace {
constexpr Field kCapabilitiesFields[] = {
    {"add", Shape::kString, kListOf},
    {"drop", Shape::kString, kListOf},
};
constexpr Type kCapabilities{kCapabilitiesFields};

constexpr Field kSELinuxOptionsFields[] = {
    {"level", Shape::kString},
    {"role", Shape::kString},
    {"type", Shape::kString},
    {"user", Shape::kString},
};
}  // namespace
constinit const Type kSELinuxOptions{kSELinuxOptionsFields};

namespace {
constexpr Field kSeccompProfileFields[] = {
    {"localhostProfile", Shape::kString, kPointer},
    {"type", Shape::kString, kAlways},
};
}  // namespace
constinit const Type kSeccompProfile{kSeccompProfileFields};

namespace {
constexpr Field kWindowsSecurityContextOptionsFields[] = {
    {"gmsaCredentialSpec", Shape::kString, kPointer},
    {"gmsaCredentialSpecName", Shape::kString, kPointer},
    {"hostProcess", Shape::kBoolean, kPointer},
    {"runAsUserName", Shape::kString, kPointer},
};
}  // namespace
constinit const Type kWindowsSecurityContextOptions{kWindowsSecurityContextOptionsFields};

namespace {
constexpr Field kSecurityContextFields[] = {
    {"allowPrivilegeEscalation", Shape::kBoolean, kPointer},
    {"appArmorProfile", kAppArmorProfile, kPointer},
    {"capabilities", kCapabilities, kPointer},
    {"privileged", Shape::kBoolean, kPointer},
    {"procMount", Shape::kString, kPointer},
    {"readOnlyRootFilesystem", Shape::kBoolean, kPointer},
    {"runAsGroup", Shape::kInteger64, kPointer},
    {"runAsNonRoot", Shape::kBoolean, kPointer},
    {"runAsUser", Shape::kInteger64, kPointer},
    {"seLinuxOptions", kSELinuxOptions, kPointer},
    {"seccompProfile", kSeccompProfile, kPointer},
    {"windowsOptions", kWindowsSecurityContextOptions, kPointer},
};
constexpr Type kSecurityContext{kSecurityContextFields};

constexpr Field kVolumeDeviceFields[] = {
    {"devicePath", Shape::kString, kAlways},
    {"name", Shape::kString, kAlways},
};
constexpr Type kVolumeDevice{kVolumeDeviceFields};

constexpr Field kVolumeMountFields[] = {
    {"mountPath", Shape::kString, kAlways},
    {"mountPropagation", Shape::kString, kPointer},
    {"name", Shape::kString, kAlways},
    {"readOnly", Shape::kBoolean},
    {"recursiveReadOnly", Shape::kString, kPointer},
    {"subPath", Shape::kString},
    {"subPathExpr", Shape::kString},
};
}  // namespace
constinit const Type kVolumeMount{kVolumeMountFields};

namespace {
constexpr Field kContainerFields[] = {
    {"args", Shape::kString, kListOf},
    {"command", Shape::kString, kListOf},
    {"env", kEnvVar, kListOf},
    {"envFrom", kEnvFromSource, kListOf},
    {"image", Shape::kString},
    {"imagePullPolicy", Shape::kString},
    {"lifecycle", kLifecycle, kPointer},
    {"livenessProbe", kProbe, kPointer},
    {"name", Shape::kString, kAlways},
    {"ports", kContainerPort, kListOf},
    {"readinessProbe", kProbe, kPointer},
    {"resizePolicy", kContainerResizePolicy, kListOf},
    {"resources", kResourceRequirements},
    {"restartPolicy", Shape::kString, kPointer},
    {"restartPolicyRules", kContainerRestartRule, kListOf},
    {"securityContext", kSecurityContext, kPointer},
    {"startupProbe", kProbe, kPointer},
    {"stdin", Shape::kBoolean},
    {"stdinOnce", Shape::kBoolean},
    {"terminationMessagePath", Shape::kString},
    {"terminationMessagePolicy", Shape::kString},
    {"tty", Shape::kBoolean},
    {"volumeDevices", kVolumeDevice, kListOf},
    {"volumeMounts", kVolumeMount, kListOf},
    {"workingDir", Shape::kString},
};
}  // namespace
constinit const Type kContainer{kContainerFields};

namespace {
constexpr Field kEphemeralContainerFields[] = {
    {"args", Shape::kString, kListOf},
    {"command", Shape::kString, kListOf},
    {"env", kEnvVar, kListOf},
    {"envFrom", kEnvFromSource, kListOf},
    {"image", Shape::kString},
    {"imagePullPolicy", Shape::kString},
    {"lifecycle", kLifecycle, kPointer},
    {"livenessProbe", kProbe, kPointer},
    {"name", Shape::kString, kAlways},
    {"ports", kContainerPort, kListOf},
    {"readinessProbe", kProbe, kPointer},
    {"resizePolicy", kContainerResizePolicy, kListOf},
    {"resources", kResourceRequirements},
    {"restartPolicy", Shape::kString, kPointer},
    {"restartPolicyRules", kContainerRestartRule, kListOf},
    {"securityContext", kSecurityContext, kPointer},
    {"startupProbe", kProbe, kPointer},
    {"stdin", Shape::kBoolean},
    {"stdinOnce", Shape::kBoolean},
    {"targetContainerName", Shape::kString},
    {"terminationMessagePath", Shape::kString},
    {"terminationMessagePolicy", Shape::kString},
    {"tty", Shape::kBoolean},
    {"volumeDevices", kVolumeDevice, kListOf},
    {"volumeMounts", kVolumeMount, kListOf},
    {"workingDir", Shape::kString},
};
}  // namespace
constinit const Type kEphemeralContainer{kEphemeralContainerFields};

}  // namespace dynamo::conversion::types
