// Checks of the way from the API server to the webhook: Service, endpoints, trust.
#pragma once

#include "certs/certificate.hpp"
#include "doctor/evidence.hpp"
#include "doctor/finding.hpp"

namespace dynamo::doctor {

// What is left of a certificate when it should have been replaced: two weeks, or this part of its
// life where that is shorter. Managed leaves are renewed when a third is left, CAs when a fifth is.
inline constexpr int kLastPartOfLeaf = 4;
inline constexpr int kLastPartOfCa = 8;
bool ends_soon(const certs::CertificateFacts& facts, TimePoint now, int last_part);

void service_present(const Evidence& evidence, Findings& findings);
void endpoints_ready(const Evidence& evidence, Findings& findings);
void ca_bundle_valid(const Evidence& evidence, Findings& findings);

}  // namespace dynamo::doctor
