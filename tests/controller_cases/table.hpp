// The tables of pure functions among the golden cases.
#pragma once

#include "tests/controller_cases/case.hpp"

namespace dynamo::cases {

// Row by row. A table of a function that we do not have is not yet ours.
Verdict play_table(const Value& golden);

}  // namespace dynamo::cases
