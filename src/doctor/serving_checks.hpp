// Checks of the way from the API server to the webhook: Service, endpoints, certificate, trust.
#pragma once

#include "doctor/evidence.hpp"
#include "doctor/finding.hpp"

namespace dynamo::doctor {

void service_present(const Evidence& evidence, Findings& findings);
void endpoints_ready(const Evidence& evidence, Findings& findings);
void certificate_valid(const Evidence& evidence, Findings& findings);
void ca_bundle_valid(const Evidence& evidence, Findings& findings);
void ca_bundle_trusts(const Evidence& evidence, Findings& findings);

}  // namespace dynamo::doctor
