// Checks of who runs controllers: the operator, or dynamo-reconciler beside it or in its place.
#pragma once

#include "doctor/evidence.hpp"
#include "doctor/finding.hpp"

namespace dynamo::doctor {

void controllers_apart(const Evidence& evidence, Findings& findings);

}  // namespace dynamo::doctor
