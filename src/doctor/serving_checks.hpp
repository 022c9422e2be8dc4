// Checks of the path from the API server to the webhook: Service, endpoints, trust.
#pragma once

#include "certs/certificate.hpp"
#include "doctor/evidence.hpp"
#include "doctor/finding.hpp"

namespace dynamo::doctor {

// When a certificate should have been replaced: two weeks before its end, or in the last fourth
// (leaf) or eighth (CA) of its lifetime if that is shorter. Managed leaves are renewed with a third
// left, CAs with a fifth.
inline constexpr int kLastPartOfLeaf = 4;
inline constexpr int kLastPartOfCa = 8;
bool ends_soon(const certs::CertificateFacts& facts, TimePoint now, int last_part);

void service_present(const Evidence& evidence, Findings& findings);
void endpoints_ready(const Evidence& evidence, Findings& findings);
void ca_bundle_valid(const Evidence& evidence, Findings& findings);

}  // namespace dynamo::doctor
