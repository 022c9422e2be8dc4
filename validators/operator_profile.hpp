// The table of behaviour that differs between operators of the first generation and later ones, for
// the same manifest. Only this table and render/document/profile.hpp, which covers pods, know the
// generations (tests/layering). A rule queries a behaviour by name, so no rule compares generations
// itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "api/context.hpp"
#include "validators/report.hpp"
#include "validators/severities.hpp"

namespace dynamo::validators {

struct Rule;

// An operator behaviour that differs between generations.
enum class OperatorBehaviour : std::uint8_t {
  kGroveNameLength,
  kDotInName,
  kDigitInName,
  kDiscoveryAccountLength,
  kJobOfCheckpoint,
  kUnknownDiscovery,
  kSecondPicker,
  kPickerWithoutFrontend,
  kNoDynamoNamespace,
  kMountOfSharedMemory,
  kVolumeTwice,
  kClaimMountedTwice,
  kVolumeAdded,
  kProbeMerged,
  kProbeWithoutHandler,
  kMainRenamed,
  kSidecarCalledMain,
  kAmountTwice,
  kRequestTwice,
  kClaimTwice,
  kGpuRequestDiffers,
  kGpuRequestAlone,
  kSelectorChanged,
  kServiceLabelDropped,
  kNoReplicaLeft,
  kCommandOfCheckpoint,
  kNodesWithoutGpu,
  kArgumentsJoined,
  kSectionOfConfig,
  kUnknownSetting,
  kNewerSetting,
  kHubAdapter,
  kAdapterOfOtherEngine,
  kOwnLabelOutOfForm,
  kMountTwice,
  kCustomComponentType,
  kHashInName,
  kPickersVolumes,
  kFlagBehindScript,
  kNoWorkersImage,
  kNewerCacheSetting,
  kPathwayOfAnnotation,
  kVolumeOfPodTwice,
};

// The severity of a rule for one behaviour, per operator generation. If the generation is unknown
// and the two differ, the rule warns.
struct BehaviourRow {
  OperatorBehaviour behaviour;
  std::string_view rule;
  Severity first;
  Severity unknown;
  Severity later;
  bool of_example;        // the rule's wrong example shows this behaviour
  std::string_view what;  // for documentation: the content of the manifest and the result
};

// All rows, in the order of the enumerators.
std::span<const BehaviourRow> operator_behaviours();

// The severity for that behaviour, given what is known of the operator.
Severity severity_of(OperatorBehaviour behaviour, const api::ClusterFacts& facts);
inline Severity severity_of(OperatorBehaviour behaviour, const api::Context& context) {
  return severity_of(behaviour, context.facts);
}

// Whether manifests may use fields that only the API of later operators has. False if the
// generation is unknown.
bool can_have_newer_fields(const api::ClusterFacts& facts);

// Whether an operator that serves v1beta1 may be there: any but the first generation.
bool can_serve_v1beta1(const api::ClusterFacts& facts);

// The facts about an object that only later operators can reconcile, because it is v1beta1.
api::ClusterFacts with_later_operator(const api::ClusterFacts& facts);

// The severities of the rules on the v1alpha1 form of an object that later operators reconcile. The
// rules of the first operator's webhooks are off: validators/hub has those of later ones. A rule
// about a mistake that later operators overlook warns.
Severities severities_with_later_operator(api::Kind kind, const Severities& severities);

// The outcome if it is certain; otherwise at most a warning.
inline Severity if_certain(bool certain, Severity outcome) {
  return certain || outcome != Severity::kDeny ? outcome : Severity::kWarn;
}

// The severities of a rule for its own wrong example. Rules of later operators always run on
// v1beta1, never for the first generation, and for an unknown one not on v1alpha1.
struct Outcomes {
  Severity first;
  Severity unknown;
  Severity later;

  bool operator==(const Outcomes&) const = default;
};
Outcomes outcomes_of(const Rule& rule);

}  // namespace dynamo::validators
