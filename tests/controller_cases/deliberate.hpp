// Where we differ from what was measured on purpose: one table, by the numbers of the reference's
// oddities where they have one. A row excuses one difference and nothing beside it: it looks at
// what was asked for, at what others wrote, and at how the object stood before.
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
  kEvent,  // one that is missing (`measured` alone is set) or that nobody measured (`made` alone)
  kStatus,
  kObject,
  kCalls,
};

inline const Value kAbsent;

// Why what was measured is behind with a restart; nothing of it: it is where ours are.
struct RestartLag {
  bool is_forgotten = false;           // an error has wiped it, and it began anew
  std::vector<std::string> gone = {};  // services that it waits for though the graph lost them
};

// What a pass over the object would have come to, did it not go.
struct Unhindered {
  std::string result = {};
  std::vector<std::string> events = {};
  std::vector<std::string> calls = {};
  Object status = {};
};

// A difference with what is needed to tell whether it is meant. Absent values are JSON's null.
struct Found {
  Place place = Place::kObject;
  std::string key = {};   // of the object, "Service/team-a/w"; of the calls; the event's line
  Keys keys = {};         // inside of it, or of the status
  std::string path = {};  // the same, as it is told
  const Value* measured = &kAbsent;
  const Value* made = &kAbsent;
  const Value* whole_measured = nullptr;  // the status, or the object
  const Value* whole_made = nullptr;
  // --- Of the object under reconcile.
  std::string self = {};                    // its key
  const Value* subject = nullptr;           // as it stands, or stood before it was gone
  const Value* status = nullptr;            // as we wrote it
  const Value* measured_status = nullptr;   // of the pass, or the last pass
  const Value* flags = nullptr;             // input.operator
  std::vector<const Value*> standing = {};  // all objects there are
  RestartLag lag = {};
  bool refuses = false;  // ours some children that measured has
  const Unhindered* unhindered =
      nullptr;  // of the last pass over what goes and has no more of ours
  // --- Of the object that differs.
  const Value* intent = nullptr;  // what we last applied to it
  const Value* origin = nullptr;  // as it was when it was first there
  const Value* before = nullptr;  // as it stood before the last pass, or before it was gone
  const Value* left = nullptr;    // as the last of others has left it
  const Value* others = nullptr;  // what is neither ours nor of another controller's, merged
  const Value* wanted = nullptr;  // what the last pass wanted it to be, could it make it
  bool asked_anew = false;  // a step wrote it, or the object under reconcile, since it was made
};

struct Deliberate {
  std::string_view id;     // "Q29", or ours
  bool everywhere;         // of every case: counts as measured
  std::string_view about;  // what we do, and why
  bool (*explains)(const Found& found);
};

std::span<const Deliberate> deliberate_differences();

// Null: it is not meant.
const Deliberate* explanation_of(const Found& found);

// --- Events. Ours tell what changed, once; what was measured tells each pass and each look.
struct Events {
  std::vector<std::string> expected = {};  // what ours must be
  bool differs = false;                    // some were left out
};
// `told`: those of earlier passes.
Events expected_events(const std::vector<std::string>& measured,
                       const std::vector<std::string>& made, const std::vector<std::string>& told);
inline constexpr std::string_view kEventsRow = "E1";
// What a status that stands there says to have been told by an earlier pass.
std::vector<std::string> events_told_by(const Value& object);

}  // namespace dynamo::cases
