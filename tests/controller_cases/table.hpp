// Golden cases that are tables of pure functions.
#pragma once

#include "tests/controller_cases/case.hpp"

namespace dynamo::cases {

// Plays row by row. A table of a function that we do not have counts as not yet ours.
CaseResult play_table(const Value& golden);

}  // namespace dynamo::cases
