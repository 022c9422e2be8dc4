#include "doctor/check_groups.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "certs/certificate.hpp"
#include "text/timestamp.hpp"

namespace dynamo::doctor {
namespace {

bool has_port(json::Value service, std::int64_t port) {
  for (const json::Value each : service["spec"]["ports"].elements()) {
    if (each["port"].integer() == port) return true;
  }
  return false;
}

// The host of an ExternalName Service; nullopt for a Service of another type.
std::optional<std::string> external_host(json::Value service) {
  const json::Value spec = service["spec"];
  if (spec["type"].string_or_empty() != "ExternalName") return std::nullopt;
  return std::string(spec["externalName"].string_or_empty());
}

// An API server that routes to endpoints itself (--enable-aggregator-routing) refuses such a
// Service; any other calls the host. Only a call shows which one it is.
void check_external(const Evidence& evidence, const std::string& subject, const std::string& host,
                    std::int64_t port, Findings& findings) {
  const std::string address = host + ":" + std::to_string(port);
  if (host.empty()) {
    findings.failed(subject, "must name a host in externalName; found none", "set externalName");
  } else if (evidence.dry_run.outcome == DryRunOutcome::kDenied) {
    findings.ok(subject, "type ExternalName: the API server calls " + address);
  } else {
    findings.warning(subject,
                     "must be reachable from the API server; found type ExternalName, which leads "
                     "to " +
                         address + ", and no call that succeeded",
                     "give it a selector, unless the API server runs without "
                     "--enable-aggregator-routing and reaches " +
                         address);
  }
}

}  // namespace

bool expires_soon(const certs::CertificateFacts& facts, TimePoint now, int last_part) {
  constexpr std::chrono::days kAtMost{14};
  const TimePoint::duration part = (facts.not_after - facts.not_before) / last_part;
  return facts.not_after - now < std::min<TimePoint::duration>(kAtMost, part);
}

void service_present(const Evidence& evidence, Findings& findings) {
  for (const ServiceEvidence& each : evidence.services) {
    const std::string subject = "Service " + each.label();
    if (!each.service.has_value() && !each.is_missing) {
      findings.skipped(subject, each.service.problem);
      continue;
    }
    if (each.is_missing) {
      findings.failed(subject, each.service.problem, "create it, or correct the configurations");
      continue;
    }
    const json::Value service = each.service.value.root();
    if (const auto host = external_host(service)) {
      check_external(evidence, subject, *host, each.port, findings);
    } else if (!has_port(service, each.port)) {
      findings.failed(subject,
                      "must have port " + std::to_string(each.port) +
                          ", which the configurations call; found none of that number",
                      "add the port, or correct clientConfig.service.port");
    } else {
      findings.ok(subject, "port " + std::to_string(each.port));
    }
  }
  if (evidence.services.empty()) findings.skipped("Service", "no webhook calls one");
}

void endpoints_ready(const Evidence& evidence, Findings& findings) {
  for (const ServiceEvidence& each : evidence.services) {
    const std::string subject = "Service " + each.label();
    if (!each.endpoint_slices.has_value()) {
      findings.skipped(subject, each.endpoint_slices.problem);
      continue;
    }
    const std::size_t ready = each.endpoints.size();
    const auto host =
        each.service.has_value() ? external_host(each.service.value.root()) : std::nullopt;
    if (ready == 0 && host) {
      findings.skipped(subject, "type ExternalName: it has no endpoints of its own");
    } else if (ready == 0) {
      findings.failed(subject, "must have a ready endpoint; found none: no call can succeed",
                      "check the readiness of its pods, and its selector");
    } else if (ready == 1) {
      findings.warning(subject, "has one ready endpoint: each restart of it is an outage",
                       "run two replicas or more, on different nodes");
    } else {
      findings.ok(subject, std::to_string(ready) + " ready endpoints");
    }
  }
  if (evidence.services.empty()) findings.skipped("Service", "no webhook calls one");
}

void ca_bundle_valid(const Evidence& evidence, Findings& findings) {
  for (const WebhookEntry& webhook : evidence.webhooks.value) {
    const auto pem = webhook.ca_bundle();
    const auto bundle = certs::read_bundle(pem.value_or(""), "caBundle");
    const bool is_empty = webhook.entry["clientConfig"]["caBundle"].string_or_empty().empty();
    // Without one, the API server uses the root certificates of its host.
    if (is_empty && !webhook.url().empty()) continue;
    if (is_empty) {
      findings.failed(webhook.subject(),
                      "must have a caBundle; found none: no call to it can succeed",
                      "inject it; managed certificates do so for labelled configurations");
    } else if (!bundle) {
      findings.failed(webhook.subject(), bundle.error().text, "write PEM certificates, in base64");
    } else {
      const auto last = std::ranges::max_element(*bundle, {}, &certs::CertificateFacts::not_after);
      if (last->not_after <= evidence.now) {
        findings.failed(webhook.subject(),
                        "caBundle must be valid; " + certs::validity_problem(*last, evidence.now),
                        "inject the CA that is in use");
      } else if (expires_soon(*last, evidence.now, kLastPartOfCa)) {
        findings.warning(webhook.subject(),
                         "caBundle ends in " + text::format_age(last->not_after - evidence.now),
                         "rotate the CA");
      }
    }
  }
  if (!findings.has_trouble()) findings.ok("caBundle", "present and valid everywhere");
}

}  // namespace dynamo::doctor
