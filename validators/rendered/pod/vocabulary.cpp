#include "validators/rendered/pod/vocabulary.hpp"

#include <algorithm>
#include <array>

namespace dynamo::validators::pod {
namespace {

using Word = std::string_view;

// The minor version from which the field is read by default.
constexpr int kUserNamespaces = 33;
constexpr int kResizeInPlace = 33;
constexpr int kSupplementalGroups = 33;
constexpr int kRecursiveReadOnly = 33;
constexpr int kSeLinuxChange = 33;
constexpr int kImageVolumes = 35;
constexpr int kRestartRules = 35;

// pod_vocabulary_test compares these rows with the schema: a new text field must get a row here or
// be listed as free text there.
//
// clang-format off
constexpr std::array<Word, 3> kPullPolicyWords{"Always", "IfNotPresent", "Never"};
constexpr std::array<Word, 2> kMessageWords{"File", "FallbackToLogsOnError"};
constexpr std::array<Word, 3> kProtocolWords{"TCP", "UDP", "SCTP"};
constexpr std::array<Word, 3> kRestartWords{"Always", "OnFailure", "Never"};
constexpr std::array<Word, 4> kDnsWords{"ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"};
constexpr std::array<Word, 2> kPreemptionWords{"PreemptLowerPriority", "Never"};
constexpr std::array<Word, 2> kSystemWords{"linux", "windows"};
constexpr std::array<Word, 2> kTolerationWords{"Exists", "Equal"};
constexpr std::array<Word, 2> kComparisonWords{"Lt", "Gt"};
constexpr std::array<Word, 3> kEffectWords{"NoSchedule", "PreferNoSchedule", "NoExecute"};
constexpr std::array<Word, 2> kSpreadWords{"DoNotSchedule", "ScheduleAnyway"};
constexpr std::array<Word, 2> kInclusionWords{"Honor", "Ignore"};
constexpr std::array<Word, 4> kLabelWords{"In", "NotIn", "Exists", "DoesNotExist"};
constexpr std::array<Word, 6> kNodeWords{"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
constexpr std::array<Word, 2> kSchemeWords{"HTTP", "HTTPS"};
constexpr std::array<Word, 3> kProfileWords{"Localhost", "RuntimeDefault", "Unconfined"};
constexpr std::array<Word, 2> kGroupChangeWords{"OnRootMismatch", "Always"};
constexpr std::array<Word, 2> kGroupsWords{"Merge", "Strict"};
constexpr std::array<Word, 2> kSeLinuxWords{"MountOption", "Recursive"};
constexpr std::array<Word, 2> kProcMountWords{"Default", "Unmasked"};
constexpr std::array<Word, 3> kPropagationWords{"None", "HostToContainer", "Bidirectional"};
constexpr std::array<Word, 3> kRecursiveWords{"Disabled", "IfPossible", "Enabled"};
constexpr std::array<Word, 2> kResizedWords{"cpu", "memory"};
constexpr std::array<Word, 2> kResizeWords{"NotRequired", "RestartContainer"};
constexpr std::array<Word, 1> kRestartActionWords{"Restart"};
constexpr std::array<Word, 1> kRestartAllWords{"RestartAllContainers"};
constexpr std::array<Word, 2> kExitCodeWords{"In", "NotIn"};
constexpr std::array<Word, 65> kSignalWords{
    "SIGABRT", "SIGALRM", "SIGBUS", "SIGCHLD", "SIGCLD", "SIGCONT", "SIGFPE", "SIGHUP", "SIGILL", "SIGINT", "SIGIO", "SIGIOT", "SIGKILL",
    "SIGPIPE", "SIGPOLL", "SIGPROF", "SIGPWR", "SIGQUIT", "SIGSEGV", "SIGSTKFLT", "SIGSTOP", "SIGSYS", "SIGTERM", "SIGTRAP", "SIGTSTP",
    "SIGTTIN", "SIGTTOU", "SIGURG", "SIGUSR1", "SIGUSR2", "SIGVTALRM", "SIGWINCH", "SIGXCPU", "SIGXFSZ",
    "SIGRTMIN", "SIGRTMIN+1", "SIGRTMIN+2", "SIGRTMIN+3", "SIGRTMIN+4", "SIGRTMIN+5", "SIGRTMIN+6", "SIGRTMIN+7", "SIGRTMIN+8",
    "SIGRTMIN+9", "SIGRTMIN+10", "SIGRTMIN+11", "SIGRTMIN+12", "SIGRTMIN+13", "SIGRTMIN+14", "SIGRTMIN+15",
    "SIGRTMAX-14", "SIGRTMAX-13", "SIGRTMAX-12", "SIGRTMAX-11", "SIGRTMAX-10", "SIGRTMAX-9", "SIGRTMAX-8", "SIGRTMAX-7",
    "SIGRTMAX-6", "SIGRTMAX-5", "SIGRTMAX-4", "SIGRTMAX-3", "SIGRTMAX-2", "SIGRTMAX-1", "SIGRTMAX"};
constexpr std::array<Word, 6> kKeyWords{"RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"};
constexpr std::array<Word, 2> kMediumWords{"Memory", "HugePages"};
constexpr std::array<Word, 7> kHostPathWords{"DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice", "BlockDevice"};
constexpr std::array<Word, 4> kAccessWords{"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"};
constexpr std::array<Word, 2> kVolumeModeWords{"Filesystem", "Block"};
constexpr std::array<Word, 3> kCachingWords{"None", "ReadOnly", "ReadWrite"};
constexpr std::array<Word, 3> kDiskWords{"Shared", "Dedicated", "Managed"};
constexpr std::array<Word, 2> kScaleWords{"ThickProvisioned", "ThinProvisioned"};

constexpr std::array<Word, 2> kInWords{"In", "NotIn"};
constexpr std::array<Word, 1> kNodeFieldWords{"metadata.name"};
constexpr std::array<Word, 1> kVersionWords{"v1"};
constexpr std::array<Word, 9> kVariableWords{"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
                                             "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"};
constexpr std::array<Word, 5> kFileWords{"metadata.name", "metadata.namespace", "metadata.uid", "metadata.labels", "metadata.annotations"};
constexpr std::array<Word, 6> kResourceWords{"limits.cpu", "limits.memory", "limits.ephemeral-storage",
                                             "requests.cpu", "requests.memory", "requests.ephemeral-storage"};
constexpr std::array<Word, 6> kComponentWords{"frontend", "worker", "prefill", "decode", "planner", "epp"};

// clang-format on

}  // namespace

// clang-format off
constexpr Vocabulary kRestartPolicies{.words = kRestartWords};
constexpr Vocabulary kDnsPolicies{.words = kDnsWords, .case_is_reported_elsewhere = true};
constexpr Vocabulary kTolerationOperators{.words = kTolerationWords, .announced = kComparisonWords, .case_is_reported_elsewhere = true, .announced_requires = "key"};
constexpr Vocabulary kEffects{.words = kEffectWords, .case_is_reported_elsewhere = true};
constexpr Vocabulary kSpreadActions{.words = kSpreadWords, .case_is_reported_elsewhere = true};
constexpr Vocabulary kInclusionPolicies{.words = kInclusionWords, .case_is_reported_elsewhere = true};
constexpr Vocabulary kLabelOperators{.words = kLabelWords, .case_is_reported_elsewhere = true};
constexpr Vocabulary kNodeOperators{.words = kNodeWords, .case_is_reported_elsewhere = true};
constexpr Vocabulary kProfileTypes{.words = kProfileWords, .case_is_reported_elsewhere = true};
constexpr Vocabulary kGroupChangePolicies{.words = kGroupChangeWords, .case_is_reported_elsewhere = true};
constexpr Vocabulary kHostPathTypes{.words = kHostPathWords, .case_is_reported_elsewhere = true};
constexpr Vocabulary kNodeFieldOperators{.words = kInWords, .is_offered_only = true};
constexpr Vocabulary kNodeFields{.words = kNodeFieldWords, .is_offered_only = true};
constexpr Vocabulary kComponentTypes{.words = kComponentWords, .is_offered_only = true};
constexpr Vocabulary kClaimModes{.words = kAccessWords, .is_offered_only = true};
// clang-format on

namespace {

// clang-format off
constexpr Vocabulary kRestartOfPods{.words = kRestartWords, .is_offered_only = true};
constexpr Vocabulary kVersion{.words = kVersionWords, .is_offered_only = true};
constexpr Vocabulary kVariable{.words = kVariableWords, .is_offered_only = true};
constexpr Vocabulary kFile{.words = kFileWords, .is_offered_only = true};
constexpr Vocabulary kResource{.words = kResourceWords, .has_other_names = true, .is_offered_only = true};
constexpr Vocabulary kPullPolicy{.words = kPullPolicyWords};
constexpr Vocabulary kImagePullPolicy{.words = kPullPolicyWords, .read_since = kImageVolumes};
constexpr Vocabulary kMessage{.words = kMessageWords};
constexpr Vocabulary kProtocol{.words = kProtocolWords, .case_is_reported_elsewhere = true, .has_other_names = true};
constexpr Vocabulary kPreemption{.words = kPreemptionWords};
constexpr Vocabulary kSystem{.words = kSystemWords};
constexpr Vocabulary kScheme{.words = kSchemeWords, .case_is_reported_elsewhere = true};
constexpr Vocabulary kGroups{.words = kGroupsWords, .read_since = kSupplementalGroups};
constexpr Vocabulary kSeLinux{.words = kSeLinuxWords, .read_since = kSeLinuxChange};
constexpr Vocabulary kProcMount{.words = kProcMountWords, .read_since = kUserNamespaces};
constexpr Vocabulary kPropagation{.words = kPropagationWords};
constexpr Vocabulary kRecursive{.words = kRecursiveWords, .read_since = kRecursiveReadOnly};
constexpr Vocabulary kResized{.words = kResizedWords, .read_since = kResizeInPlace, .has_other_names = true};
constexpr Vocabulary kResize{.words = kResizeWords, .read_since = kResizeInPlace};
constexpr Vocabulary kRestartAction{.words = kRestartActionWords, .announced = kRestartAllWords, .read_since = kRestartRules};
constexpr Vocabulary kExitCode{.words = kExitCodeWords, .read_since = kRestartRules};
constexpr Vocabulary kSignal{.words = kSignalWords, .is_refused = false};
constexpr Vocabulary kKey{.words = kKeyWords, .is_refused = false};
constexpr Vocabulary kOfClaims{.words = kLabelWords};
constexpr Vocabulary kOfBundles{.words = kLabelWords, .is_refused = false};
constexpr Vocabulary kMedium{.words = kMediumWords, .is_refused = false, .before_size = "HugePages-"};
constexpr Vocabulary kAccess{.words = kAccessWords};
constexpr Vocabulary kVolumeMode{.words = kVolumeModeWords};
constexpr Vocabulary kCaching{.words = kCachingWords};
constexpr Vocabulary kDisk{.words = kDiskWords};
constexpr Vocabulary kScale{.words = kScaleWords, .is_refused = false};

constexpr auto row(std::string_view name, const Vocabulary& vocabulary) {
  return WordField{.name = name, .vocabulary = &vocabulary, .below = {}};
}
constexpr auto row(std::string_view name, std::span<const WordField> below) {
  return WordField{.name = name, .vocabulary = nullptr, .below = below};
}

constexpr std::array kTolerations{row("operator", kTolerationOperators), row("effect", kEffects)};
constexpr std::array kLabelRows{row("operator", kLabelOperators)};
constexpr std::array kSelector{row("matchExpressions", kLabelRows)};
constexpr std::array kSpreading{row("whenUnsatisfiable", kSpreadActions), row("nodeAffinityPolicy", kInclusionPolicies),
                                row("nodeTaintsPolicy", kInclusionPolicies), row("labelSelector", kSelector)};
constexpr std::array kNodeRows{row("operator", kNodeOperators)};
constexpr std::array kNodeFieldRows{row("key", kNodeFields), row("operator", kNodeFieldOperators)};
constexpr std::array kNodeTerm{row("matchExpressions", kNodeRows), row("matchFields", kNodeFieldRows)};
constexpr std::array kNodeTerms{row("nodeSelectorTerms", kNodeTerm)};
constexpr std::array kNodePreference{row("preference", kNodeTerm)};
constexpr std::array kNodeAffinity{row("requiredDuringSchedulingIgnoredDuringExecution", kNodeTerms),
                                   row("preferredDuringSchedulingIgnoredDuringExecution", kNodePreference)};
constexpr std::array kPodTerm{row("labelSelector", kSelector), row("namespaceSelector", kSelector)};
constexpr std::array kPodPreference{row("podAffinityTerm", kPodTerm)};
constexpr std::array kPodAffinity{row("requiredDuringSchedulingIgnoredDuringExecution", kPodTerm),
                                  row("preferredDuringSchedulingIgnoredDuringExecution", kPodPreference)};
constexpr std::array kAffinity{row("nodeAffinity", kNodeAffinity), row("podAffinity", kPodAffinity), row("podAntiAffinity", kPodAffinity)};
constexpr std::array kProfileType{row("type", kProfileTypes)};
constexpr std::array kPodSecurity{row("seccompProfile", kProfileType), row("appArmorProfile", kProfileType),
                                  row("fsGroupChangePolicy", kGroupChangePolicies), row("supplementalGroupsPolicy", kGroups),
                                  row("seLinuxChangePolicy", kSeLinux)};
constexpr std::array kHostPathType{row("type", kHostPathTypes)};
constexpr std::array kEmptyDir{row("medium", kMedium)};
constexpr std::array kImageVolume{row("pullPolicy", kImagePullPolicy)};
constexpr std::array kClaimOperators{row("operator", kOfClaims)};
constexpr std::array kClaimSelector{row("matchExpressions", kClaimOperators)};
constexpr std::array kClaimSpec{row("accessModes", kAccess), row("volumeMode", kVolumeMode), row("selector", kClaimSelector)};
constexpr std::array kClaim{row("spec", kClaimSpec)};
constexpr std::array kEphemeral{row("volumeClaimTemplate", kClaim)};
constexpr std::array kAzureDisk{row("cachingMode", kCaching), row("kind", kDisk)};
constexpr std::array kScaleIo{row("storageMode", kScale)};
constexpr std::array kBundleOperators{row("operator", kOfBundles)};
constexpr std::array kBundleSelector{row("matchExpressions", kBundleOperators)};
constexpr std::array kBundle{row("labelSelector", kBundleSelector)};
constexpr std::array kCertificate{row("keyType", kKey)};
constexpr std::array kFileField{row("fieldPath", kFile), row("apiVersion", kVersion)};
constexpr std::array kResourceField{row("resource", kResource)};
constexpr std::array kFileItem{row("fieldRef", kFileField), row("resourceFieldRef", kResourceField)};
constexpr std::array kFiles{row("items", kFileItem)};
constexpr std::array kSources{row("clusterTrustBundle", kBundle), row("podCertificate", kCertificate), row("downwardAPI", kFiles)};
constexpr std::array kProjected{row("sources", kSources)};
constexpr std::array kVolumes{row("hostPath", kHostPathType), row("emptyDir", kEmptyDir), row("image", kImageVolume),
                              row("ephemeral", kEphemeral), row("projected", kProjected), row("downwardAPI", kFiles), row("azureDisk", kAzureDisk), row("scaleIO", kScaleIo)};
constexpr std::array kOs{row("name", kSystem)};
constexpr std::array kPod{row("dnsPolicy", kDnsPolicies), row("restartPolicy", kRestartOfPods), row("preemptionPolicy", kPreemption), row("os", kOs), row("tolerations", kTolerations),
                          row("topologySpreadConstraints", kSpreading), row("affinity", kAffinity),
                          row("securityContext", kPodSecurity), row("volumes", kVolumes)};

constexpr std::array kPorts{row("protocol", kProtocol)};
constexpr std::array kSecurity{row("procMount", kProcMount), row("seccompProfile", kProfileType), row("appArmorProfile", kProfileType)};
constexpr std::array kMounts{row("mountPropagation", kPropagation), row("recursiveReadOnly", kRecursive)};
constexpr std::array kResizePolicy{row("resourceName", kResized), row("restartPolicy", kResize)};
constexpr std::array kHttp{row("scheme", kScheme)};
constexpr std::array kHandler{row("httpGet", kHttp)};
constexpr std::array kLifecycle{row("postStart", kHandler), row("preStop", kHandler), row("stopSignal", kSignal)};
constexpr std::array kExitCodes{row("operator", kExitCode)};
constexpr std::array kRestartRule{row("action", kRestartAction), row("exitCodes", kExitCodes)};
constexpr std::array kVariableField{row("fieldPath", kVariable), row("apiVersion", kVersion)};
constexpr std::array kVariableSource{row("fieldRef", kVariableField), row("resourceFieldRef", kResourceField)};
constexpr std::array kVariableRow{row("valueFrom", kVariableSource)};
constexpr std::array kContainer{row("env", kVariableRow), row("imagePullPolicy", kPullPolicy), row("terminationMessagePolicy", kMessage), row("restartPolicy", kRestartPolicies),
                                row("restartPolicyRules", kRestartRule),
                                row("ports", kPorts), row("securityContext", kSecurity), row("volumeMounts", kMounts),
                                row("resizePolicy", kResizePolicy), row("lifecycle", kLifecycle)};

// The same fields in whole objects.
template <std::size_t A, std::size_t B>
constexpr auto joined(const std::array<WordField, A>& left, const std::array<WordField, B>& right) {
  std::array<WordField, A + B> all{};
  std::ranges::copy(right, std::ranges::copy(left, all.begin()).out);
  return all;
}
constexpr std::array kProbes{row("livenessProbe", kHandler), row("readinessProbe", kHandler), row("startupProbe", kHandler)};
constexpr auto kWholeContainer = joined(kContainer, kProbes);
constexpr std::array kContainers{row("containers", kWholeContainer), row("initContainers", kWholeContainer)};
constexpr std::array kMain{row("mainContainer", kWholeContainer)};
constexpr auto kTemplatePod = joined(kPod, kContainers);
constexpr auto kExtraPod = joined(kTemplatePod, kMain);
constexpr std::array kComponent{row("componentType", kComponentTypes), row("envs", kVariableRow), row("extraPodSpec", kExtraPod), row("livenessProbe", kHandler), row("readinessProbe", kHandler)};
constexpr std::array kServices{row(kAnyName, kComponent)};
constexpr std::array kClaims{row("volumeAccessMode", kClaimModes)};
constexpr std::array kGraphSpec{row("services", kServices), row("envs", kVariableRow), row("pvcs", kClaims)};
constexpr std::array kGraph{row("spec", kGraphSpec)};
constexpr std::array kComponentObject{row("spec", kComponent)};
constexpr std::array kTemplate{row("spec", kTemplatePod)};
constexpr std::array kJob{row("podTemplateSpec", kTemplate)};
constexpr std::array kCheckpointSpec{row("job", kJob)};
constexpr std::array kCheckpoint{row("spec", kCheckpointSpec)};
constexpr std::array kProfiling{row("tolerations", kTolerations)};
constexpr std::array kRequestSpec{row("profilingConfig", kProfiling)};
constexpr std::array kRequest{row("spec", kRequestSpec)};
constexpr std::array kObjects{row("DynamoGraphDeployment", kGraph), row("DynamoComponentDeployment", kComponentObject),
                              row("DynamoCheckpoint", kCheckpoint), row("DynamoGraphDeploymentRequest", kRequest)};

// The same in v1beta1.
constexpr std::array kBetaComponent{row("podTemplate", kTemplate)};
constexpr std::array kBetaGraphSpec{row("components", kBetaComponent), row("env", kVariableRow)};
constexpr std::array kBetaGraph{row("spec", kBetaGraphSpec)};
constexpr std::array kBetaComponentObject{row("spec", kBetaComponent)};
constexpr std::array kProfilingPod{row("template", kTemplate)};
constexpr std::array kBetaOverrides{row("profilingJob", kProfilingPod)};
constexpr std::array kBetaRequestSpec{row("overrides", kBetaOverrides)};
constexpr std::array kBetaRequest{row("spec", kBetaRequestSpec)};
constexpr std::array kBetaObjects{row("DynamoGraphDeployment", kBetaGraph), row("DynamoComponentDeployment", kBetaComponentObject),
                                  row("DynamoGraphDeploymentRequest", kBetaRequest)};
// clang-format on

}  // namespace

std::span<const WordField> word_fields_of(std::string_view kind, std::string_view version) {
  const WordField* const object =
      version == "v1beta1" ? find_word_field(kBetaObjects, kind) : find_word_field(kObjects, kind);
  return object == nullptr ? std::span<const WordField>{} : object->below;
}

const WordField* find_word_field(std::span<const WordField> fields, std::string_view name) {
  const auto found = std::ranges::find_if(fields, [name](const WordField& field) {
    return field.name == name || field.name == kAnyName;
  });
  return found == fields.end() ? nullptr : &*found;
}

std::span<const WordField> pod_word_fields() {
  return kPod;
}
std::span<const WordField> container_word_fields() {
  return kContainer;
}
std::span<const WordField> probe_word_fields() {
  return kHandler;
}
std::span<const WordField> toleration_word_fields() {
  return kTolerations;
}

}  // namespace dynamo::validators::pod
