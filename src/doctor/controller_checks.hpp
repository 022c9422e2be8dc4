// Checks of the controllers: the operator, and dynamo-reconciler as its companion or replacement.
#pragma once

#include "doctor/evidence.hpp"
#include "doctor/finding.hpp"

namespace dynamo::doctor {

void controllers_apart(const Evidence& evidence, Findings& findings);

}  // namespace dynamo::doctor
