#include "validators/operator_profile.hpp"

#include <algorithm>
#include <cassert>
#include <optional>

#include "validators/catalog.hpp"
#include "validators/rule_groups.hpp"

namespace dynamo::validators {
namespace {

constexpr Severity kOff = Severity::kOff;
constexpr Severity kWarn = Severity::kWarn;
constexpr Severity kDeny = Severity::kDeny;

// clang-format off
//  behaviour, rule, first, unknown, later, of the wrong example
constexpr std::array kBehaviours = std::to_array<BehaviourRow>({
    {OperatorBehaviour::kGroveNameLength, "dgd.name.length.grove", kDeny, kWarn, kOff, true,
     "a name that fits once the graph's part is shortened, which later operators do"},
    {OperatorBehaviour::kDotInName, "dgd.name.dot-or-digit", kDeny, kWarn, kOff, true,
     "a name with a dot, for which later operators write '-'"},
    {OperatorBehaviour::kDigitInName, "dgd.name.dot-or-digit", kDeny, kWarn, kWarn, false,
     "a name that begins with a digit, before Kubernetes 1.36; later operators may make no Service of that name"},
    {OperatorBehaviour::kDiscoveryAccountLength, "dgd.name.length.label", kDeny, kWarn, kOff, false,
     "a name too long for the label of the account, which later operators shorten"},
    {OperatorBehaviour::kJobOfCheckpoint, "job.name.length", kDeny, kWarn, kOff, false,
     "a long name of a checkpoint, after which later operators do not name the job"},
    {OperatorBehaviour::kUnknownDiscovery, "dgd.annotation.value", kDeny, kWarn, kWarn, true,
     "a discovery backend that no operator knows"},
    {OperatorBehaviour::kSecondPicker, "dgd.epp.topology", kDeny, kWarn, kWarn, false,
     "two endpoint pickers, one of them with its configuration in the graph"},
    {OperatorBehaviour::kPickerWithoutFrontend, "dgd.epp.topology", kWarn, kWarn, kOff, false,
     "no frontend next to an endpoint picker, whose pool holds other services with later operators"},
    {OperatorBehaviour::kNoDynamoNamespace, "dcd.standalone.incomplete", kDeny, kWarn, kOff, true,
     "no dynamoNamespace, without which first operators make no Service, and which later ones compute"},
    {OperatorBehaviour::kMountOfSharedMemory, "storage.mount.path", kDeny, kWarn, kWarn, true,
     "a mount of the user's at /dev/shm, which later operators replace by their own"},
    {OperatorBehaviour::kVolumeTwice, "storage.mount.duplicate-volume", kDeny, kWarn, kWarn, false,
     "a name in volumeMounts and among the operator's volumes, of which later operators make one volume"},
    {OperatorBehaviour::kClaimMountedTwice, "storage.mount.duplicate-volume", kDeny, kWarn, kOff, false,
     "a claim in two entries of volumeMounts, of which later operators make one volume"},
    {OperatorBehaviour::kVolumeAdded, "storage.mount.unknown-volume", kDeny, kWarn, kWarn, true,
     "a volume that only mainContainer mounts, for which later operators add a claim of that name"},
    {OperatorBehaviour::kProbeMerged, "pod.probe.two-handlers", kDeny, kWarn, kOff, true,
     "a probe of mainContainer with another handler than the default one, which later operators replace as a whole"},
    {OperatorBehaviour::kProbeWithoutHandler, "pod.probe.two-handlers", kOff, kWarn, kDeny, false,
     "a probe of mainContainer without a handler, which first operators take from the default one"},
    {OperatorBehaviour::kMainRenamed, "pod.container.names", kDeny, kWarn, kWarn, false,
     "another name than main of a main container, in a LeaderWorkerSet or out of form, which later operators rename"},
    {OperatorBehaviour::kSidecarCalledMain, "pod.container.names", kDeny, kWarn, kWarn, true,
     "a sidecar called as the main container is, which later operators do not run"},
    {OperatorBehaviour::kAmountTwice, "res.extended.rules", kDeny, kWarn, kWarn, false,
     "amounts of the service and of mainContainer that differ; mainContainer's win with later operators"},
    {OperatorBehaviour::kRequestTwice, "res.request-exceeds-limit", kDeny, kWarn, kWarn, false,
     "amounts of the service and of mainContainer that differ; mainContainer's win with later operators"},
    {OperatorBehaviour::kClaimTwice, "res.claims.unknown", kDeny, kWarn, kOff, false,
     "a claim of the service that mainContainer has too, which later operators claim once"},
    {OperatorBehaviour::kGpuRequestDiffers, "res.extended.rules", kOff, kWarn, kDeny, false,
     "requests.gpu other than limits.gpu, which first operators drop"},
    {OperatorBehaviour::kGpuRequestAlone, "res.gpu.requests-only", kWarn, kWarn, kOff, true,
     "requests.gpu alone, which first operators drop"},
    {OperatorBehaviour::kSelectorChanged, "pod.labels", kDeny, kWarn, kWarn, false,
     "the label by which a Deployment selects its pods, which later operators set last"},
    {OperatorBehaviour::kServiceLabelDropped, "pod.labels", kOff, kWarn, kDeny, false,
     "labels of a graph's service out of form, which first operators drop where Deployments or LeaderWorkerSets run it"},
    {OperatorBehaviour::kNoReplicaLeft, "scale.zero", kDeny, kWarn, kWarn, false,
     "an update to 0 replicas of several nodes through Grove, which later operators do by scaling"},
    {OperatorBehaviour::kCommandOfCheckpoint, "multinode.lws.container", kDeny, kWarn, kWarn, false,
     "a command that the checkpoint of first operators moves to args"},
    {OperatorBehaviour::kNodesWithoutGpu, "multinode.lws.container", kWarn, kWarn, kOff, false,
     "no limits.gpu, without which first operators make no LeaderWorkerSet"},
    {OperatorBehaviour::kArgumentsJoined, "multinode.args.unquoted", kWarn, kWarn, kOff, true,
     "arguments that first operators join for a shell without quotes"},
    {OperatorBehaviour::kSectionOfConfig, "dgdr.config.shape", kDeny, kWarn, kWarn, true,
     "deployment or engine that is no object, which later operators ignore"},
    {OperatorBehaviour::kUnknownSetting, "dgdr.config.unknown-key", kWarn, kWarn, kOff, false,
     "a setting that only a later profiler may read"},
    {OperatorBehaviour::kNewerSetting, "dgdr.config.unknown-key", kWarn, kWarn, kOff, false,
     "a setting of hardware or sweep that only a later profiler may read"},
    {OperatorBehaviour::kHubAdapter, "model.lora.scheme", kWarn, kWarn, kOff, false,
     "a source at hf://, from which first workers do not load"},
    {OperatorBehaviour::kAdapterOfOtherEngine, "model.lora.worker-support", kWarn, kWarn, kOff, false,
     "adapters for another engine than vLLM, which only workers of later operators load"},
    {OperatorBehaviour::kOwnLabelOutOfForm, "pod.labels", kDeny, kWarn, kWarn, false,
     "a label that the operator sets itself with a value out of form, where later operators set theirs last"},
    {OperatorBehaviour::kMountTwice, "storage.mount.path", kDeny, kWarn, kWarn, false,
     "one claim at one path in volumeMounts and in mainContainer, which later operators may mount once"},
    {OperatorBehaviour::kCustomComponentType, "dgd.component-type.unknown", kOff, kWarn, kWarn, false,
     "a word of one's own, which v1beta1 does not take"},
    {OperatorBehaviour::kHashInName, "dgd.name.length.service", kOff, kWarn, kDeny, false,
     "a worker's name that is too long with the hash which later operators put behind it"},
    {OperatorBehaviour::kPickersVolumes, "storage.mount.unknown-volume", kDeny, kWarn, kOff, false,
     "volumes of one's own in an endpoint picker that mounts by default, for which first operators leave out theirs"},
    {OperatorBehaviour::kFlagBehindScript, "multinode.args.unquoted", kOff, kWarn, kWarn, false,
     "a shell's script over Ray, behind which later operators put a flag that the shell does not pass on"},
    {OperatorBehaviour::kNoWorkersImage, "dgdr.images", kWarn, kWarn, kOff, true,
     "no workersImage, without which later operators profile as well"},
    {OperatorBehaviour::kNewerCacheSetting, "dgdr.config.unknown-key", kWarn, kWarn, kOff, false,
     "modelPathInPvc or pvcMountPath, which only later operators read in the place of pvcPath and mountPath"},
    {OperatorBehaviour::kPathwayOfAnnotation, "dgd.update.pathway-toggle", kWarn, kWarn, kOff, true,
     "another enable-grove of a graph that exists, whose pathway later operators keep"},
    {OperatorBehaviour::kVolumeOfPodTwice, "storage.mount.duplicate-volume", kDeny, kWarn, kOff, true,
     "a name in volumeMounts and in extraPodSpec.volumes, whose volume later operators mount"},
});
// clang-format on

// Rules that deny in general but only warn of their wrong example, with any operator.
constexpr std::array kWarnOfTheirExample = std::to_array<std::string_view>({
    "ckpt.identity.complete",
    "dgd.component-type.unknown",
    "dgd.epp.topology",
    "pod.scheduler.mixed",
    "scale.zero",
    "storage.shm.size",
});

// Checks that each row is at the index of its enumerator. Where generations differ, the unknown
// generation warns: it denies nothing that one of them accepts, and misses nothing that one of them
// breaks.
constexpr bool is_in_order() {
  for (std::size_t at = 0; at < kBehaviours.size(); ++at) {
    const BehaviourRow& row = kBehaviours[at];
    if (static_cast<std::size_t>(row.behaviour) != at) return false;
    if (row.unknown != (row.first == row.later ? row.first : kWarn)) return false;
  }
  return true;
}
static_assert(is_in_order());

// Rules of the first operator's webhooks about mistakes that later operators overlook.
constexpr std::array kOverlookedByLaterOperators = std::to_array<std::string_view>({
    "dgd.pvc.create.access-mode",
    "dgd.pvc.create.size",
    "dgd.pvc.create.storage-class",
    "dgdr.config.parses",
    "service.shared-memory.size",
});

// Rules that one of validators/hub repeats for later operators, at the field that they name.
constexpr std::array kRepeatedByLaterRules = std::to_array<std::string_view>({
    "dgd.name.length.grove",
});

// The most severe outcome of each rule on an object that later operators reconcile.
Severities severities_of_first_operator_rules() {
  Severities most;
  for (std::size_t rule = 0; rule < catalog().size(); ++rule) most.set(rule, kDeny);
  for (const Rule& rule : rule_group("operator")) {
    const std::optional<std::size_t> index = find_rule_index(rule.id);
    assert(index.has_value());
    // Rules of later operators that the group has, too, run in validators/hub alone.
    if (!index || protected_rules().test(*index)) continue;
    const bool is_overlooked = std::ranges::find(kOverlookedByLaterOperators, rule.id) !=
                               kOverlookedByLaterOperators.end();
    most.set(*index, is_overlooked ? kWarn : kOff);
  }
  for (const std::string_view rule : kRepeatedByLaterRules) {
    const std::optional<std::size_t> index = find_rule_index(rule);
    assert(index.has_value());
    if (index) most.set(*index, kOff);
  }
  return most;
}

// Behaviour of first-generation operators that dynamo-reconciler does not share.
constexpr bool is_fixed(OperatorBehaviour behaviour) {
  return behaviour == OperatorBehaviour::kServiceLabelDropped;
}

}  // namespace

std::span<const BehaviourRow> operator_behaviours() {
  return kBehaviours;
}

Severity severity_of(OperatorBehaviour behaviour, const api::ClusterFacts& facts) {
  const BehaviourRow& row = kBehaviours[static_cast<std::size_t>(behaviour)];
  if (facts.operator_replaced && is_fixed(behaviour)) return row.later;
  switch (facts.operator_generation) {
    case api::OperatorGeneration::kFirst:
      return row.first;
    case api::OperatorGeneration::kLater:
      return row.later;
    case api::OperatorGeneration::kUnknown:
      break;
  }
  return row.unknown;
}

bool can_have_newer_fields(const api::ClusterFacts& facts) {
  return facts.operator_generation == api::OperatorGeneration::kLater;
}

bool can_serve_v1beta1(const api::ClusterFacts& facts) {
  return facts.operator_generation != api::OperatorGeneration::kFirst;
}

api::ClusterFacts with_later_operator(const api::ClusterFacts& facts) {
  api::ClusterFacts later = facts;
  later.operator_generation = api::OperatorGeneration::kLater;
  return later;
}

Severities severities_with_later_operator(api::Kind kind, const Severities& severities) {
  // Later operators have no webhook for the adapter, and the same rules for the other kinds.
  const bool has_other_rules = kind == api::Kind::kGraphDeployment ||
                               kind == api::Kind::kComponentDeployment ||
                               kind == api::Kind::kGraphDeploymentRequest;
  if (!has_other_rules) return severities;
  static const Severities most = severities_of_first_operator_rules();
  Severities relaxed = severities;
  relaxed.limit_to(most);
  return relaxed;
}

Outcomes outcomes_of(const Rule& rule) {
  if (phase_of(rule.function) == Phase::kHub) {
    const bool is_of_alpha =
        rule.id.starts_with("hub.alpha.") || rule.kinds.has(api::Kind::kCheckpoint);
    return {kOff, is_of_alpha ? kOff : rule.severity, rule.severity};
  }
  const auto row = std::ranges::find_if(kBehaviours, [&](const BehaviourRow& each) {
    return each.of_example && each.rule == rule.id;
  });
  const bool warns = std::ranges::find(kWarnOfTheirExample, rule.id) != kWarnOfTheirExample.end();
  if (row == kBehaviours.end() && warns) return {kWarn, kWarn, kWarn};
  if (row == kBehaviours.end()) return {rule.severity, rule.severity, rule.severity};
  return {row->first, row->unknown, row->later};
}

}  // namespace dynamo::validators
