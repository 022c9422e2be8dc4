// Checks of the cluster around the webhook: clocks, permissions, marker Leases, and the dry run.
#pragma once

#include "doctor/evidence.hpp"
#include "doctor/finding.hpp"

namespace dynamo::doctor {

void clocks_agree(const Evidence& evidence, Findings& findings);
void rights_given(const Evidence& evidence, Findings& findings);
void leases_known(const Evidence& evidence, Findings& findings);
void dry_run_denied(const Evidence& evidence, Findings& findings);

}  // namespace dynamo::doctor
