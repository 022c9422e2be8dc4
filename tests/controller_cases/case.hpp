// Runs one golden case: plays its reconciles with our plans over an in-memory store and compares
// the result with the recorded upstream result.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/controller_cases/value.hpp"

namespace dynamo::cases {

enum class Outcome {
  kMeasured,   // everything matches the recording, except for the deliberate differences of every
               // case
  kDifferent,  // deliberate differences in this case
  kFailing,
  kNotYetOurs,  // needs a part that we do not implement
};

struct CaseResult {
  Outcome outcome = Outcome::kMeasured;
  std::vector<std::string> differences = {};
  std::vector<std::string> not_yet_ours = {};
  std::set<std::string> deliberate = {};  // matching rows of the table of deliberate differences
  // Paths that they excuse: "step 2: Service/team-a/w spec.ports".
  std::set<std::string> excused = {};
};

// Sets the outcome from the findings.
void settle(CaseResult& case_result);

// Throws std::runtime_error for a file in another format.
CaseResult play(const Value& golden);

}  // namespace dynamo::cases
