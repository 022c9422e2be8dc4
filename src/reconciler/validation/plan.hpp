// What is written about a verdict, as a pure function of what was seen: conditions, states, events
// and the record of what was admitted.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.hpp"
#include "kube/object.hpp"
#include "kube/resource.hpp"
#include "reconciler/action.hpp"
#include "reconciler/validation/judge.hpp"
#include "reconciler/validation/record.hpp"

namespace dynamo::reconciler::validation {

// Companion: the Go operator runs its controllers, and ours writes a condition of its own beside
// them. Replacement: nobody else does, and ours writes what that operator would.
enum class Mode : std::uint8_t { kCompanion, kReplacement };

struct Settings {
  Mode mode = Mode::kCompanion;
  // Webhooks judge what is written, so controllers that replace the operator's do not judge again.
  // A companion does all the same: it is the second look, and nothing depends on it.
  bool webhooks_enabled = false;
  bool keeps_record = true;  // of what was admitted
  // Between the first records of two objects, of any kind. Zero: each is written with its verdict.
  std::chrono::milliseconds record_interval{0};
  // Kinds whose own controllers tell the verdict beside ours. To this one is left the record, what
  // must not change, and of all but models what is denied and does not keep these controllers from
  // acting (holds_up()).
  std::vector<api::Kind> told_elsewhere = {};
  // In replacement mode: kinds for which the reconciler has no controller.
  std::vector<api::Kind> unserved = {};
};

// In companion mode, of all kinds that have conditions; in a replacement, of graphs and components
// whose own controllers run: of what is denied and holds these up in nothing.
inline constexpr std::string_view kOwnCondition = "DynamoAdmissionValid";

// False with reason NoController: the object's kind has no controller, so nothing will happen.
inline constexpr std::string_view kServedCondition = "Served";

// False only for DynamoGraphDeploymentScalingAdapter: it is told by events alone.
bool has_conditions(api::Kind kind);

struct Observed {
  api::Kind kind = api::Kind::kGraphDeployment;
  kube::Resource resource = {};
  kube::Object object = {};
  Verdict verdict = {};
  Record record = {};
  Verdict change = {};              // since the record, or `pending`; valid where there is none
  std::string immutable_part = {};  // of the object now; empty: nothing to record
  // As immutable_part() was when it was admitted, of an object that has no record yet; empty:
  // nobody knows.
  std::string pending = {};
  bool is_record_too_long = false;  // outgrows_record()
  bool is_record_due = true;        // the first record may be written now
  // The generation of which users were told that it is invalid, for what has no condition that
  // would remember it; 0: none, or they were told since that it is valid.
  std::int64_t told_generation = 0;
};

inline constexpr std::string_view kFailedEvent = "ValidationFailed";
inline constexpr std::string_view kPassedEvent = "ValidationPassed";
inline constexpr std::string_view kUnservedEvent = "NoController";

struct Plan {
  std::vector<Action> actions = {};
  std::string pending = {};  // what is to be recorded once it is due; empty: nothing
  bool is_judged = false;    // false: it is going, exempt, or not ours to judge
  bool is_valid = true;
};

// Does nothing about an object that is being deleted. `now` is what changed conditions are stamped
// with.
Plan plan(const Observed& observed, const Settings& settings,
          std::chrono::system_clock::time_point now);

}  // namespace dynamo::reconciler::validation
