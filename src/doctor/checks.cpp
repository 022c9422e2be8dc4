#include "doctor/checks.hpp"

#include <array>
#include <string>
#include <utility>

#include "doctor/check_groups.hpp"

namespace dynamo::doctor {
namespace {

constexpr auto kChecks = std::to_array<Check>({
    {"configuration.present", Needs::kNothing, "webhook configurations call us",
     configuration_present},
    {"configuration.rules", Needs::kWebhooks, "every kind is sent to its path", rules_complete},
    {"configuration.narrow", Needs::kWebhooks, "nothing but our resources is sent", rules_narrow},
    {"configuration.once", Needs::kWebhooks, "no kind is sent twice", rules_once},
    {"configuration.selector", Needs::kWebhooks, "no webhook can keep itself or kube-system down",
     selectors_safe},
    {"configuration.timeout", Needs::kWebhooks, "time-outs fit a retry and can be borne",
     timeouts_fit},
    {"configuration.failure-policy", Needs::kWebhooks, "what happens in an outage is intended",
     failure_policy_known},
    {"configuration.protocol", Needs::kWebhooks, "versions, side effects and match policy fit",
     protocol_spoken},
    {"configuration.ca-bundle", Needs::kWebhooks, "every caBundle is there and valid",
     ca_bundle_valid},
    {"service.present", Needs::kWebhooks, "the Service that is called exists, with its port",
     service_present},
    {"service.endpoints", Needs::kWebhooks, "there are ready endpoints, more than one",
     endpoints_ready},
    {"service.answers", Needs::kWebhooks, "every ready endpoint shakes hands and answers",
     endpoints_answer},
    {"certificate.valid", Needs::kWebhooks, "the served certificate is valid for the Service",
     certificate_valid},
    {"certificate.trusted", Needs::kWebhooks, "every caBundle verifies the served certificate",
     ca_bundle_trusts},
    {"cluster.clock", Needs::kNothing, "our clock and the API server's agree", clocks_agree},
    {"cluster.rights", Needs::kNothing, "the server has the rights that it needs", rights_given},
    {"cluster.leases", Needs::kNothing, "namespaces that are left to other operators are known",
     leases_known},
    {"cluster.generation", Needs::kNothing, "the generation of the operator is known",
     generation_known},
    {"cluster.stored-versions", Needs::kNothing, "objects are stored in the storage version",
     stored_versions_known},
    {"cluster.conversion", Needs::kNothing, "definitions with two versions can call their webhook",
     conversion_callable},
    {"cluster.conversion-ca", Needs::kNothing,
     "the caBundle of their webhook verifies the served certificate", conversion_trusted},
    {"cluster.controllers", Needs::kNothing, "one operator or one reconciler runs the controllers",
     controllers_apart},
    {"cluster.unserved", Needs::kNothing, "every request and checkpoint has a controller",
     kinds_served},
    {"cluster.grove", Needs::kNothing, "graphs over Grove have it, and their queues of KAI",
     graphs_of_grove_served},
    {"cluster.dry-run", Needs::kNothing, "a bad object is denied through the API server",
     dry_run_denied},
});

// Why a check cannot run; empty if it can.
std::string obstacle(const Check& check, const Evidence& evidence) {
  if (check.needs == Needs::kNothing) return "";
  if (!evidence.webhooks.has_value()) return evidence.webhooks.problem;
  return evidence.webhooks.value.empty() ? "no webhook calls us" : "";
}

}  // namespace

std::span<const Check> checks() {
  return kChecks;
}

std::vector<CheckFinding> examine(const Evidence& evidence) {
  std::vector<CheckFinding> list;
  Findings findings(list);
  for (const Check& check : kChecks) {
    findings.begin(check.id);
    if (std::string why = obstacle(check, evidence); !why.empty()) {
      findings.skipped("webhooks", std::move(why));
    } else {
      check.function(evidence, findings);
    }
  }
  return list;
}

}  // namespace dynamo::doctor
