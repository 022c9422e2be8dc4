// Where we differ from what was measured on purpose: one table, by the numbers of the reference's
// oddities where they have one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/controller_cases/compare.hpp"
#include "tests/controller_cases/value.hpp"

namespace dynamo::cases {

enum class Place { kResult, kEvents, kStatus, kObject };

// A difference with what is needed to tell whether it is meant.
struct Found {
  Place place = Place::kObject;
  std::string key = {};   // of the object: "Service/team-a/w"
  std::string path = {};  // inside of it, or of the status
  const Value* measured = nullptr;
  const Value* made = nullptr;
  const Value* whole_measured = nullptr;  // the status, or the object
  const Value* intent = nullptr;          // what we last applied to the object, or null
  const Value* status = nullptr;          // of the object under reconcile, as we wrote it
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

}  // namespace dynamo::cases
