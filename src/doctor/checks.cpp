#include "doctor/checks.hpp"

#include <array>

#include "doctor/cluster_checks.hpp"
#include "doctor/configuration_checks.hpp"
#include "doctor/endpoint_checks.hpp"
#include "doctor/serving_checks.hpp"

namespace dynamo::doctor {
namespace {

constexpr auto kChecks = std::to_array<Check>({
    {"configuration.present", "webhook configurations call us", configuration_present},
    {"configuration.rules", "every kind is sent to its path", rules_complete},
    {"configuration.narrow", "nothing but our resources is sent", rules_narrow},
    {"configuration.once", "no kind is sent twice", rules_once},
    {"configuration.selector", "no webhook can keep itself or kube-system down", selectors_safe},
    {"configuration.timeout", "time-outs fit a retry and can be borne", timeouts_fit},
    {"configuration.failure-policy", "what happens in an outage is intended", failure_policy_known},
    {"configuration.protocol", "versions, side effects and match policy fit", protocol_spoken},
    {"configuration.ca-bundle", "every caBundle is there and valid", ca_bundle_valid},
    {"service.present", "the Service that is called exists, with its port", service_present},
    {"service.endpoints", "there are ready endpoints, more than one", endpoints_ready},
    {"service.answers", "every ready endpoint shakes hands and answers", endpoints_answer},
    {"certificate.valid", "the served certificate is valid for the Service", certificate_valid},
    {"certificate.trusted", "every caBundle vouches for the served certificate", ca_bundle_trusts},
    {"cluster.clock", "our clock and the API server's agree", clocks_agree},
    {"cluster.rights", "the server has the rights that it needs", rights_given},
    {"cluster.leases", "namespaces that are left to other operators are known", leases_known},
    {"cluster.dry-run", "a bad object is denied through the API server", dry_run_denied},
});

}  // namespace

std::span<const Check> checks() {
  return kChecks;
}

std::vector<Finding> examine(const Evidence& evidence) {
  std::vector<Finding> list;
  Findings findings(list);
  for (const Check& check : kChecks) {
    findings.begin(check.id);
    check.function(evidence, findings);
  }
  return list;
}

}  // namespace dynamo::doctor
