// Whether a golden case notices that something else was measured.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tests/controller_cases/case.hpp"
#include "tests/controller_cases/value.hpp"

namespace dynamo::cases {

struct Spoiled {
  std::size_t changes = 0;
  // What stood there, where a change was neither told nor excused where there was a difference
  // anyway.
  std::vector<std::string> unnoticed = {};
};

// Changes every value of the case's output, or of the table's rows, one after the other, and plays
// the case with it. Nothing of a case that is not ours yet. `golden` is as it was afterwards.
Spoiled spoil(Object& golden, Verdict (*judge)(const Value& golden));

}  // namespace dynamo::cases
