// Plans how a verdict is reported, as a pure function of the observed state: conditions, states,
// events and the admission record.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.hpp"
#include "desired/action.hpp"
#include "kube/object/object.hpp"
#include "kube/object/resource.hpp"
#include "reconciler/verdict/record.hpp"
#include "reconciler/verdict/validator.hpp"

namespace dynamo::reconciler::validation {

// Companion: the Go operator runs its controllers, and this one writes a condition of its own.
// Replacement: no other controller runs, and this one writes what the operator would.
enum class Mode : std::uint8_t { kCompanion, kReplacement };

struct ValidationSettings {
  Mode mode = Mode::kCompanion;
  // Webhooks validate writes, so controllers that replace the operator's do not validate again. A
  // companion still does: it is an independent second check.
  bool webhooks_enabled = false;
  bool keeps_record = true;  // admission record
  // Between the first records of two objects, of any kind. Zero: each is written with its verdict.
  std::chrono::milliseconds record_interval{0};
  // Kinds whose own controllers report the verdict. For these kinds this controller handles only
  // the record and immutable fields. Except for models, it also reports denials that do not block
  // those controllers (blocks_controllers()).
  std::vector<api::Kind> reported_elsewhere = {};
  // In replacement mode: kinds for which the reconciler has no controller.
  std::vector<api::Kind> unserved = {};
};

// In companion mode: for all kinds that have conditions. In replacement mode: for graphs and
// components whose own controllers run, for denials that do not block them.
inline constexpr std::string_view kOwnCondition = "DynamoAdmissionValid";

// False with reason NoController: the kind has no controller, so nothing will happen.
inline constexpr std::string_view kServedCondition = "Served";

// False only for DynamoGraphDeploymentScalingAdapter, which is reported by events alone.
bool has_conditions(api::Kind kind);

struct ObservedState {
  api::Kind kind = api::Kind::kGraphDeployment;
  kube::Resource resource = {};
  kube::Object object = {};
  ValidationResult verdict = {};
  Record record = {};
  ValidationResult change = {};     // since the record or `pending`; valid if there is none
  std::string immutable_part = {};  // of the current object; empty: nothing to record
  // immutable_part() at admission, for an object without a record; empty: unknown.
  std::string pending = {};
  bool is_record_too_long = false;  // outgrows_record()
  bool is_record_due = true;        // the first record may be written now
  // The generation that was reported as invalid, for kinds without a condition that stores it; 0:
  // none, or the object was reported as valid again.
  std::int64_t reported_generation = 0;
};

inline constexpr std::string_view kFailedEvent = "ValidationFailed";
inline constexpr std::string_view kPassedEvent = "ValidationPassed";
inline constexpr std::string_view kUnservedEvent = "NoController";

struct ValidationPlan {
  std::vector<Action> actions = {};
  std::string pending = {};   // to be recorded when due; empty: nothing
  bool is_evaluated = false;  // false: being deleted, exempt, or validated elsewhere
  bool is_valid = true;
};

// Plans nothing for an object that is being deleted. `now` is the transition time of changed
// conditions.
ValidationPlan plan(const ObservedState& observed, const ValidationSettings& settings,
                    std::chrono::system_clock::time_point now);

}  // namespace dynamo::reconciler::validation
