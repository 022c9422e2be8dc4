// Runs one golden case: plays its reconciles with our plans over an in-memory store and compares
// the result with the recorded upstream result.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/controller_cases/value.hpp"

namespace dynamo::cases {

enum class Outcome {
  kAsRecorded,  // everything matches the recording, except for the allowed differences of every
                // case
  kAllowedDifferences,  // allowed differences in this case
  kFailing,
  kUnsupported,  // needs a part that we do not implement
};

struct CaseResult {
  Outcome outcome = Outcome::kAsRecorded;
  std::vector<std::string> differences = {};
  std::vector<std::string> unsupported = {};
  std::set<std::string> allowed = {};  // matching rows of the table of allowed differences
  // Paths that they allow: "step 2: Service/team-a/w spec.ports".
  std::set<std::string> allowed_paths = {};
};

// Sets the outcome from the findings.
void set_outcome(CaseResult& case_result);

// Throws std::runtime_error for a file in another format.
CaseResult play(const Value& golden);

}  // namespace dynamo::cases
