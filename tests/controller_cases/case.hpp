// One golden case: the reconciles that it asks for, played with our plans over a store in memory,
// and what came out beside what was measured.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tests/controller_cases/value.hpp"

namespace dynamo::cases {

enum class Outcome {
  kMeasured,   // all that we make is as it was measured, but for what differs everywhere on purpose
  kDifferent,  // in this case on purpose
  kFailing,
  kNotYetOurs,  // something is made by a part that we do not have
};

struct Verdict {
  Outcome outcome = Outcome::kMeasured;
  std::vector<std::string> differences = {};
  std::vector<std::string> not_yet_ours = {};
  std::set<std::string> deliberate = {};  // rows of the table of deliberate differences
  // Where they excuse something: "step 2: Service/team-a/w spec.ports".
  std::set<std::string> excused = {};
};

// Its outcome, by what was found.
void settle(Verdict& verdict);

// Throws std::runtime_error for a file of another form.
Verdict play(const Value& golden);

}  // namespace dynamo::cases
