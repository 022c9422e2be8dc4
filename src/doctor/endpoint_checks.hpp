// Checks of the Services' endpoints: whether they answer, and their certificates.
#pragma once

#include "doctor/evidence.hpp"
#include "doctor/finding.hpp"

namespace dynamo::doctor {

void endpoints_answer(const Evidence& evidence, Findings& findings);
void certificate_valid(const Evidence& evidence, Findings& findings);
void ca_bundle_trusts(const Evidence& evidence, Findings& findings);

}  // namespace dynamo::doctor
