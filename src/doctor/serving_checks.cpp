#include "doctor/serving_checks.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "certs/certificate.hpp"
#include "certs/managed/bundle.hpp"
#include "kube/base64.hpp"

namespace dynamo::doctor {
namespace {

constexpr std::chrono::days kSoon{14};

bool has_port(json::Value service, std::int64_t port) {
  for (const json::Value each : service["spec"]["ports"].elements()) {
    if (each["port"].integer() == port) return true;
  }
  return false;
}

// An endpoint whose readiness is not said counts as ready, as the API defines it. A pod with
// addresses of both families stands in two slices and counts once.
std::size_t ready_endpoints(const std::vector<kube::Object>& slices) {
  std::size_t nameless = 0;
  std::vector<std::string_view> pods;
  for (const kube::Object& slice : slices) {
    for (const json::Value endpoint : slice.root()["endpoints"].elements()) {
      if (!endpoint["conditions"]["ready"].boolean().value_or(true)) continue;
      const std::string_view pod = endpoint["targetRef"]["name"].string_or_empty();
      if (pod.empty()) {
        ++nameless;
      } else if (std::ranges::find(pods, pod) == pods.end()) {
        pods.push_back(pod);
      }
    }
  }
  return nameless + pods.size();
}

// Of the first certificate of `pem`, or nothing.
std::optional<certs::CertificateFacts> leaf_of(const std::string& pem) {
  auto facts = certs::read_bundle(pem, "the chain");
  if (!facts) return std::nullopt;
  return std::move(facts->front());
}

std::string names_of(const certs::CertificateFacts& facts) {
  std::string names;
  for (const std::string& name : facts.names) names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? "none" : names;
}

std::optional<std::string> bundle_of(const Webhook& webhook) {
  return kube::decode_base64(webhook.entry["clientConfig"]["caBundle"].string_or_empty());
}

const ServiceEvidence* service_of(const Evidence& evidence, const Webhook& webhook) {
  const json::Value called = webhook.entry["clientConfig"]["service"];
  const auto at = std::ranges::find_if(evidence.services, [&](const ServiceEvidence& each) {
    return each.namespace_name == called["namespace"].string_or_empty() &&
           each.name == called["name"].string_or_empty();
  });
  return at == evidence.services.end() ? nullptr : &*at;
}

}  // namespace

void service_present(const Evidence& evidence, Findings& findings) {
  for (const ServiceEvidence& each : evidence.services) {
    const std::string subject = "Service " + each.label();
    if (!each.service.found()) {
      findings.failed(subject, each.service.problem, "create it, or correct the configurations");
      continue;
    }
    const json::Value service = each.service.value.root();
    if (service["spec"]["type"].string_or_empty() == "ExternalName") {
      findings.failed(subject, "must lead to pods; found type ExternalName, which is not followed",
                      "give it a selector");
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
    if (!each.endpoint_slices.found()) {
      findings.skipped(subject, each.endpoint_slices.problem);
      continue;
    }
    const std::size_t ready = ready_endpoints(each.endpoint_slices.value);
    if (ready == 0) {
      findings.failed(subject, "must have a ready endpoint; found none: no call can succeed",
                      "look at the readiness of its pods, and at its selector");
    } else if (ready == 1) {
      findings.warning(subject, "has one ready endpoint: each restart of it is an outage",
                       "run two replicas or more, on different nodes");
    } else {
      findings.ok(subject, std::to_string(ready) + " ready endpoints");
    }
  }
  if (evidence.services.empty()) findings.skipped("Service", "no webhook calls one");
}

void certificate_valid(const Evidence& evidence, Findings& findings) {
  for (const ServiceEvidence& each : evidence.services) {
    const std::string subject = "certificate of " + each.label();
    if (!each.served_pem.found()) {
      findings.skipped(subject, each.served_pem.problem,
                       "run the doctor in a pod, or as somebody who may read the Secret");
      continue;
    }
    const auto leaf = leaf_of(each.served_pem.value);
    if (!leaf) {
      findings.failed(subject, "must be a certificate; found none in " + each.served_from,
                      "replace the Secret's tls.crt");
      continue;
    }
    const std::string wanted = each.dns_name();
    if (const std::string problem = certs::validity_problem(*leaf, evidence.now);
        !problem.empty()) {
      findings.failed(subject, problem + " (" + each.served_from + ")", "renew it");
    } else if (std::ranges::find(leaf->names, wanted) == leaf->names.end()) {
      findings.failed(
          subject,
          "must name " + wanted + ", which the API server asks for; found " + names_of(*leaf),
          "issue it for that name");
    } else if (leaf->not_after - evidence.now < kSoon) {
      findings.warning(subject,
                       "ends in " + certs::format_age(leaf->not_after - evidence.now) +
                           " and should have been renewed by now",
                       "look at the log of whoever renews it");
    } else {
      findings.ok(subject, "valid until " + certs::format_time(leaf->not_after) + ", from " +
                               each.served_from);
    }
  }
  if (evidence.services.empty()) findings.skipped("certificate", "no webhook calls a Service");
}

void ca_bundle_valid(const Evidence& evidence, Findings& findings) {
  for (const Webhook& webhook : evidence.webhooks.value) {
    const auto pem = bundle_of(webhook);
    const auto bundle = certs::read_bundle(pem.value_or(""), "caBundle");
    if (webhook.entry["clientConfig"]["caBundle"].string_or_empty().empty()) {
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
      } else if (last->not_after - evidence.now < kSoon) {
        findings.warning(webhook.subject(),
                         "caBundle ends in " + certs::format_age(last->not_after - evidence.now),
                         "rotate the CA");
      }
    }
  }
  if (!findings.troubled()) findings.ok("caBundle", "present and valid everywhere");
}

void ca_bundle_trusts(const Evidence& evidence, Findings& findings) {
  bool compared = false;
  for (const Webhook& webhook : evidence.webhooks.value) {
    const ServiceEvidence* const service = service_of(evidence, webhook);
    const auto pem = bundle_of(webhook);
    if (service == nullptr || !service->served_pem.found() || !pem || pem->empty()) continue;
    compared = true;
    const certs::KeyPair chain(service->served_pem.value, "");
    if (certs::managed::verifies(*pem, chain, {service->dns_name()}, evidence.now)) continue;
    findings.failed(webhook.subject(),
                    "caBundle must vouch for the certificate that is served (" +
                        service->served_from + ") under the name " + service->dns_name() +
                        "; it does not: every call fails",
                    "inject the CA that signed it");
  }
  if (!compared) {
    findings.skipped("caBundle", "no pair of a caBundle and a served certificate to compare");
  } else if (!findings.troubled()) {
    findings.ok("caBundle", "vouches for the served certificate everywhere");
  }
}

}  // namespace dynamo::doctor
