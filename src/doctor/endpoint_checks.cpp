#include "doctor/check_groups.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "certs/certificate.hpp"
#include "certs/managed/bundle.hpp"
#include "doctor/endpoints.hpp"
#include "text/base64.hpp"
#include "text/timestamp.hpp"

namespace dynamo::doctor {
namespace {

using Endpoints = std::vector<const ServiceEndpoint*>;

constexpr std::string_view kGoNearer =
    "run the doctor in a pod, or as an account that may read the Secret";

// A certificate chain, and the endpoints that serve it; none for the Secret's.
struct ServedChain {
  std::string_view pem;
  Endpoints by;
};

bool shook_hands(const ServiceEndpoint& endpoint) {
  return endpoint.was_asked && endpoint.peer.has_value();
}

std::size_t count(const ServiceEvidence& service, bool (*holds)(const ServiceEndpoint&)) {
  return static_cast<std::size_t>(std::ranges::count_if(service.endpoints, holds));
}

// Each distinct chain once. Empty if there is none to check.
std::vector<ServedChain> chains_of(const ServiceEvidence& service) {
  std::vector<ServedChain> chains;
  for (const ServiceEndpoint& endpoint : service.endpoints) {
    if (!shook_hands(endpoint)) continue;
    const std::string_view pem = endpoint.peer.value.chain_pem;
    auto chain = std::ranges::find(chains, pem, &ServedChain::pem);
    if (chain == chains.end()) chain = chains.insert(chain, {pem, {}});
    chain->by.push_back(&endpoint);
  }
  const bool has_secret = !service.secret.empty() && service.secret_pem.has_value();
  if (chains.empty() && has_secret) chains.push_back({service.secret_pem.value, {}});
  return chains;
}

// "10.0.0.3:9443 (pod a), 10.0.0.4:9443 (pod b)", "all 3 endpoints", "Secret NS/NAME".
std::string in_words(const ServiceEvidence& service, const Endpoints& endpoints) {
  constexpr std::size_t kMaxNamed = 8;
  if (endpoints.empty()) return "Secret " + service.secret;
  if (endpoints.size() > 1) {
    std::string all = "all " + std::to_string(endpoints.size()) + " endpoints";
    if (endpoints.size() == service.endpoints.size()) return all;
    if (endpoints.size() == count(service, shook_hands)) return all + " that were reached";
  }
  std::string words;
  for (std::size_t i = 0; i < std::min(endpoints.size(), kMaxNamed); ++i) {
    words += (i == 0 ? "" : ", ") + endpoints[i]->label();
  }
  if (endpoints.size() > kMaxNamed) {
    words += " and " + std::to_string(endpoints.size() - kMaxNamed) + " more";
  }
  return words;
}

// Why there is no chain to check.
std::string problem_of(const ServiceEvidence& service) {
  std::string problem = service.endpoints.empty() ? "there is no endpoint to ask"
                                                  : "there was no time to ask an endpoint";
  for (const ServiceEndpoint& endpoint : service.endpoints) {
    if (endpoint.peer.has_value()) continue;
    problem = endpoint.peer.problem;
    break;
  }
  if (!service.secret_pem.has_value()) problem += "; " + service.secret_pem.problem;
  return problem;
}

// A finding about a certificate, without its endpoints.
struct ChainFinding {
  Level level = Level::kOk;
  std::string text;
  std::string remedy;

  bool operator==(const ChainFinding&) const = default;
};

ChainFinding check_chain(std::string_view pem, const std::string& wanted, TimePoint now) {
  const auto chain = certs::read_bundle(std::string(pem), "the chain");
  if (!chain) {
    return {Level::kFailed, "must be a certificate; found none", "replace the Secret's tls.crt"};
  }
  const certs::CertificateFacts& leaf = chain->front();
  if (std::string problem = certs::validity_problem(leaf, now); !problem.empty()) {
    return {Level::kFailed, std::move(problem), "renew it"};
  }
  if (!certs::managed::names_host(pem, wanted)) {
    std::string names;
    for (const std::string& name : leaf.names) names += (names.empty() ? "" : ", ") + name;
    return {Level::kFailed,
            "must name " + wanted + ", which the API server asks for; found " +
                (names.empty() ? "none" : names),
            "issue it for that name"};
  }
  if (expires_soon(leaf, now, kLastPartOfLeaf)) {
    return {Level::kWarning,
            "ends in " + text::format_age(leaf.not_after - now) +
                " and should have been renewed by now",
            "read the log of the component that renews it"};
  }
  return {Level::kOk, "valid until " + text::format_timestamp(leaf.not_after), {}};
}

// Reports a bundle that does not verify a certificate that the Service serves. kSkipped: none to
// compare.
Level check_trust(const ServiceEvidence& service, const std::string& bundle_pem,
                  const std::string& subject, TimePoint now, Findings& findings) {
  const std::vector<ServedChain> chains = chains_of(service);
  if (chains.empty()) return Level::kSkipped;
  Endpoints strange;
  bool is_any = false;
  for (const ServedChain& each : chains) {
    const certs::KeyPair chain(std::string(each.pem), "");
    if (certs::managed::verifies(bundle_pem, chain, {service.dns_name()}, now)) continue;
    is_any = true;
    strange.insert(strange.end(), each.by.begin(), each.by.end());
  }
  if (!is_any) return Level::kOk;
  const bool all = strange.size() == count(service, shook_hands);
  findings.failed(subject,
                  "caBundle must verify the certificate that is served (" +
                      in_words(service, strange) + ") under the name " + service.dns_name() +
                      "; it does not: every call " + (all ? "fails" : "that is sent there fails"),
                  "inject the CA that signed it");
  return Level::kFailed;
}

void check_endpoint(const ServiceEvidence& service, const ServiceEndpoint& endpoint,
                    bool others_answer, Findings& findings) {
  const std::string subject = "endpoint " + endpoint.label() + " of " + service.label();
  constexpr int kServerError = 500;
  const kube::ProbedPeer& peer = endpoint.peer.value;
  if (!endpoint.peer.has_value() && (endpoint.is_there || others_answer)) {
    findings.failed(subject, "is ready and must answer; " + endpoint.peer.problem,
                    "read the pod's log, and check network policies");
  } else if (!endpoint.peer.has_value()) {
    findings.skipped(subject, endpoint.peer.problem, "run the doctor in a pod");
  } else if (peer.wants_certificate) {
    findings.skipped(subject, "asks for a client's certificate: only its own was checked");
  } else if (peer.status == 0) {
    findings.failed(subject, "shakes hands, and then must answer; found " + peer.silence,
                    "read the pod's log");
  } else if (peer.status >= kServerError) {
    findings.warning(subject, "must be able to answer; found " + std::to_string(peer.status),
                     "read the pod's log");
  }
}

}  // namespace

void endpoints_answer(const Evidence& evidence, Findings& findings) {
  bool any = false;
  for (const ServiceEvidence& each : evidence.services) {
    const bool others_answer = count(each, shook_hands) > 0;
    for (const ServiceEndpoint& endpoint : each.endpoints) {
      any = true;
      if (endpoint.was_asked) check_endpoint(each, endpoint, others_answer, findings);
    }
    const std::size_t asked = count(each, [](const ServiceEndpoint& one) { return one.was_asked; });
    if (asked < each.endpoints.size()) {
      findings.skipped("Service " + each.label(),
                       std::to_string(each.endpoints.size() - asked) + " of " +
                           std::to_string(each.endpoints.size()) +
                           " ready endpoints were not checked: at most " +
                           std::to_string(kMaxEndpointsAsked) +
                           " are, for as long as there is time");
    }
  }
  if (!any) {
    findings.skipped("endpoints", "there is none to ask");
  } else if (!findings.has_trouble()) {
    findings.ok("endpoints", "each shakes hands and answers");
  }
}

void certificate_valid(const Evidence& evidence, Findings& findings) {
  for (const ServiceEvidence& each : evidence.services) {
    const std::string subject = "certificate of " + each.label();
    const std::vector<ServedChain> chains = chains_of(each);
    if (chains.empty()) findings.skipped(subject, problem_of(each), std::string(kGoNearer));
    // Several chains, such as self-signed ones of each pod, may have the same finding.
    std::vector<std::pair<ChainFinding, Endpoints>> verdicts;
    for (const ServedChain& chain : chains) {
      ChainFinding verdict = check_chain(chain.pem, each.dns_name(), evidence.now);
      auto at = std::ranges::find(verdicts, verdict, &std::pair<ChainFinding, Endpoints>::first);
      if (at == verdicts.end()) at = verdicts.emplace(at, std::move(verdict), Endpoints{});
      at->second.insert(at->second.end(), chain.by.begin(), chain.by.end());
    }
    for (auto& [verdict, by] : verdicts) {
      findings.report(verdict.level, subject, verdict.text + ", at " + in_words(each, by),
                      std::move(verdict.remedy));
    }
  }
  if (evidence.services.empty()) findings.skipped("certificate", "no webhook calls a Service");
}

void ca_bundle_trusts(const Evidence& evidence, Findings& findings) {
  bool compared = false;
  for (const WebhookEntry& webhook : evidence.webhooks.value) {
    const ServiceEvidence* const service = evidence.service_of(webhook.entry["clientConfig"]);
    const auto pem = webhook.ca_bundle();
    if (service == nullptr || !pem || pem->empty()) continue;
    const Level level = check_trust(*service, *pem, webhook.subject(), evidence.now, findings);
    compared = compared || level != Level::kSkipped;
  }
  if (!compared) {
    findings.skipped("caBundle", "no pair of a caBundle and a served certificate to compare");
  } else if (!findings.has_trouble()) {
    findings.ok("caBundle", "verifies the served certificate everywhere");
  }
}

void conversion_trusted(const Evidence& evidence, Findings& findings) {
  for (const kube::Object& definition : evidence.definitions.value) {
    const json::Value conversion = definition.root()["spec"]["conversion"];
    const json::Value config = conversion["webhook"]["clientConfig"];
    const ServiceEvidence* const service = evidence.service_of(config);
    if (conversion["strategy"].string_or_empty() != "Webhook" || service == nullptr) continue;
    const std::string subject = definition_subject(definition);
    const auto pem = text::decode_base64(config["caBundle"].string_or_empty());
    if (!pem || pem->empty()) {
      findings.failed(subject, "must have a caBundle; found none: no object can be converted",
                      "inject it: label the definition and set --inject-crds");
      continue;
    }
    const Level level = check_trust(*service, *pem, subject, evidence.now, findings);
    if (level == Level::kSkipped) {
      findings.skipped(subject, problem_of(*service), std::string(kGoNearer));
    } else if (level == Level::kOk) {
      findings.ok(subject, "caBundle verifies the served certificate");
    }
  }
}

}  // namespace dynamo::doctor
