// The table of allowed differences from the upstream recordings, identified by the number of the
// upstream deviation if it has one. A row explains exactly one difference, based on the requested
// state, the writes of others, and the previous state of the object.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/controller_cases/compare.hpp"
#include "tests/controller_cases/value.hpp"

namespace dynamo::cases {

enum class Place {
  kResult,
  kEvent,  // a missing event (only `recorded` set) or one that was not recorded (only `actual` set)
  kStatus,
  kObject,
  kCalls,
};

inline const Value kAbsent;

// Why the recorded restart is behind ours; empty if both are at the same point.
struct RestartLag {
  bool is_forgotten = false;           // an error wiped it, and it started over
  std::vector<std::string> gone = {};  // deleted services that it still waits for
};

// The result that a reconcile would have had if the object were not being deleted.
struct ResultWithoutDeletion {
  std::string result = {};
  std::vector<std::string> events = {};
  std::vector<std::string> calls = {};
  Object status = {};
};

// A difference with the context that decides whether it is allowed. Absent values are JSON null.
struct DifferenceContext {
  Place place = Place::kObject;
  std::string key = {};   // the object's key, "Service/team-a/w"; of calls; the event's line
  Keys keys = {};         // path within the object or the status
  std::string path = {};  // the same path as text
  const Value* recorded = &kAbsent;
  const Value* actual = &kAbsent;
  const Value* whole_recorded = nullptr;  // the status or the object
  const Value* whole_actual = nullptr;
  // --- The reconciled object.
  std::string self = {};                   // its key
  const Value* subject = nullptr;          // its current state, or its last state before deletion
  const Value* status = nullptr;           // as we wrote it
  const Value* recorded_status = nullptr;  // of this reconcile, or of the last one
  const Value* flags = nullptr;            // input.operator
  std::vector<const Value*> live_objects = {};  // all existing objects
  RestartLag lag = {};
  bool refuses = false;  // whether we refuse some owned objects that upstream creates
  const ResultWithoutDeletion* without_deletion =
      nullptr;  // of the last reconcile of an object that is being
                // deleted and no longer has our finalizer
  // --- The object that differs.
  const Value* intent = nullptr;  // what we last applied to it
  const Value* origin = nullptr;  // as first seen
  const Value* before = nullptr;  // before the last reconcile, or before deletion
  const Value* left = nullptr;    // as the last write by others left it
  const Value* others =
      nullptr;  // fields of other clients (neither ours nor another controller's), merged
  const Value* desired =
      nullptr;  // the desired object of the last reconcile, even if it was refused
  bool written_since_creation =
      false;  // a step wrote it or the reconciled object after its creation
};

struct AllowedDifference {
  std::string_view id;     // "Q29" of the deviations, or "S1" of ours
  bool everywhere;         // in every case: still counts as measured
  std::string_view about;  // our behaviour, and the reason
  bool (*matches)(const DifferenceContext& found);
};

std::span<const AllowedDifference> allowed_differences();

// Null if the difference is not allowed.
const AllowedDifference* find_allowed_difference(const DifferenceContext& found);

// --- Events. We report each change once; upstream reports every reconcile and every check.
struct Events {
  std::vector<std::string> expected = {};  // the events that we must emit
  bool differs = false;                    // some events were left out
};
// The last argument has the events of earlier reconciles.
Events expected_events(const std::vector<std::string>& recorded,
                       const std::vector<std::string>& actual,
                       const std::vector<std::string>& reported);
inline constexpr std::string_view kEventsRow = "E1";
// Events of earlier reconciles according to the conditions in an existing status.
std::vector<std::string> events_reported_by(const Value& object);

}  // namespace dynamo::cases
