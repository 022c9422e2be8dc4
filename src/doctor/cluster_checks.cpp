#include "doctor/check_groups.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "admission/namespace_lease.hpp"
#include "admission/routes.hpp"
#include "cluster/lease_record.hpp"
#include "cluster/lease_trust.hpp"
#include "cluster/marker_plan.hpp"
#include "doctor/markers.hpp"
#include "doctor/selector.hpp"
#include "text/timestamp.hpp"

namespace dynamo::doctor {
namespace {

// "list leases.coordination.k8s.io in all namespaces"
std::string in_words(const RightEvidence& right) {
  std::string words = right.verb + ' ' + right.resource;
  if (!right.group.empty()) words += '.' + right.group;
  if (!right.name.empty()) words += ' ' + right.name;
  words += right.namespace_name.empty() ? std::string(" in all namespaces")
                                        : " in namespace " + right.namespace_name;
  return right.account.empty() ? words : words + " for " + right.account;
}

// Reports a clock that is far from the API server's; returns whether it did.
bool complain_of_clock(std::string subject, TimePoint::duration ahead, Findings& findings) {
  constexpr std::chrono::minutes kNoticed{1};
  constexpr std::chrono::minutes kHarmful{5};
  const auto apart = ahead < ahead.zero() ? -ahead : ahead;
  std::string text = "must agree with the API server's; found it " + text::format_age(apart) +
                     (ahead < ahead.zero() ? " behind" : " ahead");
  if (apart >= kHarmful) {
    findings.failed(std::move(subject), std::move(text),
                    "leases and certificates are evaluated wrongly: synchronise the clocks");
  } else if (apart >= kNoticed) {
    findings.warning(std::move(subject), std::move(text), "synchronise the clocks");
  }
  return apart >= kNoticed;
}

void warn_of_rejected_lease(std::string subject, std::string_view namespace_name,
                            const cluster::LeaseRecord& lease, admission::LeaseRejection rejection,
                            const Evidence& evidence, Findings& findings) {
  findings.warning(
      std::move(subject),
      "has a marker Lease of \"" + lease.holder + "\" that looks forged and is not trusted: " +
          cluster::describe(rejection, namespace_name, lease, evidence.lease_trust.longest,
                            evidence.now),
      "find out who wrote it (kubectl get lease --show-managed-fields), delete it, and let only "
      "operators write it: deploy/policies");
}

// The marker Lease of a restricted server.
void own_lease_lives(const Evidence& evidence, Findings& findings) {
  const std::string subject = "namespace " + evidence.restricted_namespace;
  for (const kube::Object& object : evidence.leases.value) {
    const cluster::LeaseRecord lease = marker_of(object, evidence);
    const admission::LeaseRejection rejection = admission::rejection_of(lease.view(), evidence.now);
    if (rejection != admission::LeaseRejection::kNone) {
      return warn_of_rejected_lease(subject, object.namespace_name(), lease, rejection, evidence,
                                    findings);
    }
    if (!admission::is_live(lease.view(), evidence.now)) continue;
    // Any version of the server counts.
    if (!lease.holder.starts_with(cluster::marker_identity(""))) {
      return findings.failed(
          subject,
          "must be held by the restricted server; found \"" + lease.holder +
              "\", whose marker Lease is live: the server still validates",
          "if that is no operator of yours, delete the Lease and let only operators write it: "
          "deploy/policies");
    }
    return findings.ok(subject, "is held by \"" + lease.holder +
                                    "\", whose marker Lease is live: others leave it alone");
  }
  findings.warning(
      subject,
      "must have a live marker Lease of the restricted server; found none: a server of the whole "
      "cluster validates it, too",
      "read the server's log, and its /readyz?verbose");
}

// True if no webhook receives the dry run's object, because none selects its namespace.
bool is_excluded(const Evidence& evidence, std::string_view namespace_name) {
  const json::Value labels = evidence.labels_of(namespace_name);
  if (!labels.exists() || !evidence.webhooks.has_value()) return false;
  bool any = false;
  for (const WebhookEntry& webhook : evidence.webhooks.value) {
    const admission::Route* const route = admission::find_route(webhook.path());
    if (route == nullptr || route->purpose != admission::Purpose::kValidate ||
        route->kind != api::Kind::kGraphDeployment) {
      continue;
    }
    any = true;
    if (selects(webhook.entry["namespaceSelector"], labels)) return false;
  }
  return any;
}

void say_excluded(const DryRunEvidence& run, const std::string& subject, Findings& findings) {
  const std::string text = "the namespaceSelectors exclude namespace " + run.namespace_name +
                           ": nothing is validated there";
  // A user who names the namespace expects it to be validated.
  if (run.has_explicit_namespace) {
    findings.failed(subject, text,
                    "correct the selectors, or give --namespace one that they select");
  } else {
    findings.skipped(subject, text, "give --namespace one that they select");
  }
}

// The Secret may have another name, such as the chart's, or the permission is missing.
void skip_guessed(const RightEvidence& right, Findings& findings) {
  findings.skipped("rights to the Secret in namespace " + right.namespace_name,
                   "it was not named, and the server may not keep " + right.needed_for +
                       " in one called " + right.name,
                   "name it with --secret " + right.namespace_name + "/NAME");
}

}  // namespace

void clocks_agree(const Evidence& evidence, Findings& findings) {
  if (!evidence.server_time.has_value()) {
    return findings.skipped("clock", evidence.server_time.problem);
  }
  const auto ahead = evidence.now - evidence.server_time.value;
  if (!complain_of_clock("clock", ahead, findings)) {
    findings.ok("clock", "within a minute of the API server's");
  }
  std::size_t known = 0;
  bool all_well = true;
  for (const ServiceEvidence& service : evidence.services) {
    for (const ServiceEndpoint& endpoint : service.endpoints) {
      if (!endpoint.ahead) continue;
      ++known;
      const std::string subject = "clock of endpoint " + endpoint.label();
      if (complain_of_clock(subject, *endpoint.ahead + ahead, findings)) all_well = false;
    }
  }
  if (known > 0 && all_well) {
    findings.ok("clocks of the endpoints",
                "within a minute of the API server's, at all " + std::to_string(known));
  }
}

void rights_given(const Evidence& evidence, Findings& findings) {
  if (!evidence.rights_of_server) {
    return findings.skipped("rights", "those of the caller do not show the server's",
                            "name its account with --service-account NAMESPACE/NAME");
  }
  bool all_given = true;
  std::string guessed;
  for (const RightEvidence& right : evidence.rights) {
    if (!right.allowed.has_value() || !right.allowed.value) all_given = false;
    const std::string subject = in_words(right);
    if (!right.allowed.has_value()) {
      findings.skipped(subject, right.allowed.problem);
    } else if (!right.allowed.value && right.name_is_guessed) {
      // All verbs are reported as one finding.
      if (guessed != right.namespace_name) skip_guessed(right, findings);
      guessed = right.namespace_name;
    } else if (!right.allowed.value && right.optional) {
      findings.warning(subject, "is not allowed; " + right.needed_for + " does not work without",
                       "add the rule of deploy/rbac, or do without");
    } else if (!right.allowed.value) {
      findings.failed(subject, "must be allowed for " + right.needed_for,
                      "add the rule of deploy/rbac");
    }
  }
  if (all_given && !evidence.rights.empty()) {
    findings.ok("rights", std::to_string(evidence.rights.size()) + " rights are given");
  }
  if (!evidence.managed.has_value()) {
    findings.skipped("rights for managed certificates", evidence.managed.problem);
  }
}

void leases_known(const Evidence& evidence, Findings& findings) {
  if (!evidence.leases.has_value()) return findings.skipped("leases", evidence.leases.problem);
  if (!evidence.restricted_namespace.empty()) return own_lease_lives(evidence, findings);
  for (const kube::Object& object : evidence.leases.value) {
    const cluster::LeaseRecord lease = marker_of(object, evidence);
    const std::string subject = "namespace " + std::string(object.namespace_name());
    const admission::LeaseRejection rejection = admission::rejection_of(lease.view(), evidence.now);
    if (rejection != admission::LeaseRejection::kNone) {
      warn_of_rejected_lease(subject, object.namespace_name(), lease, rejection, evidence,
                             findings);
    } else if (admission::is_live(lease.view(), evidence.now)) {
      findings.warning(subject,
                       "is left to \"" + lease.holder +
                           "\", whose marker lease is live: nothing in it is validated here",
                       "if that operator no longer runs, delete the Lease");
    } else {
      findings.ok(subject, "has a marker lease that is no longer live, and is validated");
    }
  }
  if (evidence.leases.value.empty())
    findings.ok("leases", "no namespace is left to another operator");
}

void dry_run_denied(const Evidence& evidence, Findings& findings) {
  const DryRunEvidence& run = evidence.dry_run;
  const std::string subject = "dry run in " + run.namespace_name;
  switch (run.outcome) {
    case DryRunOutcome::kDenied:
      return findings.ok(subject, "an object that breaks a rule was denied: " + run.text);
    case DryRunOutcome::kAdmitted:
      if (is_excluded(evidence, run.namespace_name)) return say_excluded(run, subject, findings);
      return findings.failed(
          subject, "an object that breaks a rule must be denied; it was admitted",
          "see the other findings: configuration, selectors, leases, audit mode");
    case DryRunOutcome::kCallFailed:
      return findings.failed(subject, "the API server could not call the webhook: " + run.text,
                             "see the other findings: endpoints, certificate, caBundle; then "
                             "network policies and firewalls");
    case DryRunOutcome::kRefused:
      return findings.skipped(subject, run.text, "give the right to create, or install the CRDs");
    case DryRunOutcome::kNotTried:
      return findings.skipped(subject, "there was no time to try");
  }
}

}  // namespace dynamo::doctor
