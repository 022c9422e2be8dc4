// What operators of the first and of later generations make of the same manifest, in one table: the
// only place that knows, but for what render/profile.hpp says of their pods (tests/layering). A
// rule asks it by habit, so that no rule compares generations itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "api/context.hpp"
#include "validators/report.hpp"

namespace dynamo::validators {

struct Rule;

// Something that operators do in different ways.
enum class Habit : std::uint8_t {
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
  kStrangeSetting,
  kNewerSetting,
  kAdapterOfHub,
  kAdapterOfOtherEngine,
  kOwnLabelOutOfForm,
  kMountTwice,
  kTypeOfOnesOwn,
  kHashInName,
  kPickersVolumes,
  kFlagBehindScript,
};

// What a rule says of it with each operator. With one that is not known it warns where they differ.
struct HabitRow {
  Habit habit;
  std::string_view rule;
  Severity first;
  Severity unknown;
  Severity later;
  bool of_example;        // it is what the rule's wrong example shows
  std::string_view what;  // for documentation: what the manifest has, and what becomes of it
};

// All of them, in the order of `Habit`.
std::span<const HabitRow> habits();

// What to say of that with the operator that is known, or not.
Severity outcome_of(Habit habit, const api::ClusterFacts& facts);
inline Severity outcome_of(Habit habit, const api::Context& context) {
  return outcome_of(habit, context.facts);
}

// Whether manifests may have fields that only the API of the operator who acts on them knows.
bool may_have_newer_fields(const api::ClusterFacts& facts);

// The same where it is not certain that it happens: then nothing is denied.
inline Severity if_certain(bool certain, Severity outcome) {
  return certain || outcome != Severity::kDeny ? outcome : Severity::kWarn;
}

// What a rule says of its own wrong example, by the catalogue's severities.
struct Outcomes {
  Severity first;
  Severity unknown;
  Severity later;

  bool operator==(const Outcomes&) const = default;
};
Outcomes outcomes_of(const Rule& rule);

}  // namespace dynamo::validators
