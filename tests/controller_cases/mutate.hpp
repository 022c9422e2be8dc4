// Mutation test for golden cases: whether a case detects a changed recording.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tests/controller_cases/case.hpp"
#include "tests/controller_cases/value.hpp"

namespace dynamo::cases {

struct MutationResult {
  std::size_t changes = 0;
  // Paths where a change was not detected, except those with an allowed difference.
  std::vector<std::string> undetected = {};
};

// Changes every value of the case's output, or of the table's rows, one at a time, and plays the
// case with it. Skips cases that we do not implement yet. `golden` is restored afterwards.
MutationResult mutate(Object& golden, CaseResult (*replay)(const Value& golden));

}  // namespace dynamo::cases
