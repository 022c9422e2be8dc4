// Checks of the webhook configurations.
#pragma once

#include "doctor/evidence.hpp"
#include "doctor/finding.hpp"

namespace dynamo::doctor {

void configuration_present(const Evidence& evidence, Findings& findings);
void rules_complete(const Evidence& evidence, Findings& findings);
void rules_narrow(const Evidence& evidence, Findings& findings);
void rules_once(const Evidence& evidence, Findings& findings);
void selectors_safe(const Evidence& evidence, Findings& findings);
void timeouts_fit(const Evidence& evidence, Findings& findings);
void failure_policy_known(const Evidence& evidence, Findings& findings);
void protocol_spoken(const Evidence& evidence, Findings& findings);

}  // namespace dynamo::doctor
