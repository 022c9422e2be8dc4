// The functions of the checks, one source per group; checks.cpp has their table.
#pragma once

#include "certs/certificate.hpp"
#include "doctor/evidence.hpp"
#include "doctor/finding.hpp"

namespace dynamo::doctor {

// --- Checks of the webhook configurations.

void configuration_present(const Evidence& evidence, Findings& findings);
void rules_complete(const Evidence& evidence, Findings& findings);
void rules_narrow(const Evidence& evidence, Findings& findings);
void rules_once(const Evidence& evidence, Findings& findings);
void selectors_safe(const Evidence& evidence, Findings& findings);
void timeouts_fit(const Evidence& evidence, Findings& findings);
void failure_policy_known(const Evidence& evidence, Findings& findings);
void protocol_spoken(const Evidence& evidence, Findings& findings);

// --- Checks of the path from the API server to the webhook: Service, endpoints, trust.

// When a certificate should have been replaced: two weeks before its end, or in the last fourth
// (leaf) or eighth (CA) of its lifetime if that is shorter. Managed leaves are renewed with a third
// left, CAs with a fifth.
inline constexpr int kLastPartOfLeaf = 4;
inline constexpr int kLastPartOfCa = 8;
bool expires_soon(const certs::CertificateFacts& facts, TimePoint now, int last_part);

void service_present(const Evidence& evidence, Findings& findings);
void endpoints_ready(const Evidence& evidence, Findings& findings);
void ca_bundle_valid(const Evidence& evidence, Findings& findings);

// --- Checks of the Services' endpoints: whether they answer, and their certificates.

void endpoints_answer(const Evidence& evidence, Findings& findings);
void certificate_valid(const Evidence& evidence, Findings& findings);
void ca_bundle_trusts(const Evidence& evidence, Findings& findings);

// --- Checks of the cluster around the webhook: clocks, permissions, marker Leases, and the dry
// run.

void clocks_agree(const Evidence& evidence, Findings& findings);
void rights_given(const Evidence& evidence, Findings& findings);
void leases_known(const Evidence& evidence, Findings& findings);
void dry_run_denied(const Evidence& evidence, Findings& findings);

// --- Checks of definitions: the operator that they belong to, and of those with two versions what
// is stored, and the webhook that converts.

void generation_known(const Evidence& evidence, Findings& findings);
void stored_versions_known(const Evidence& evidence, Findings& findings);
void conversion_callable(const Evidence& evidence, Findings& findings);
// In the source of ca_bundle_trusts().
void conversion_trusted(const Evidence& evidence, Findings& findings);

// --- Checks of the controllers: the operator, and dynamo-reconciler as its companion or
// replacement.

void controllers_apart(const Evidence& evidence, Findings& findings);
void kinds_served(const Evidence& evidence, Findings& findings);
void graphs_of_grove_served(const Evidence& evidence, Findings& findings);

}  // namespace dynamo::doctor
