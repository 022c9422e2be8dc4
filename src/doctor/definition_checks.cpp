#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/facts.hpp"
#include "doctor/check_groups.hpp"
#include "doctor/webhook_matching.hpp"

namespace dynamo::doctor {
namespace {

std::string_view storage_version(json::Value definition) {
  for (const json::Value version : definition["spec"]["versions"].elements()) {
    if (version["storage"].boolean().value_or(false)) return version["name"].string_or_empty();
  }
  return {};
}

// "v1alpha1, v1beta1"
std::string join_versions(json::Value versions) {
  std::string words;
  for (const json::Value version : versions.elements()) {
    if (!words.empty()) words += ", ";
    words += version.string_or_empty();
  }
  return words.empty() ? "none" : words;
}

// The version of an operator's Deployment, as its chart labels it; empty if there is none.
std::string operator_version(const kube::Object& deployment) {
  const json::Value labels = deployment.root()["metadata"]["labels"];
  return std::string(labels["app.kubernetes.io/version"].string_or_empty());
}

void check_conversion(const Evidence& evidence, const kube::Object& definition,
                      Findings& findings) {
  const std::string subject = definition_subject(definition);
  const json::Value conversion = definition.root()["spec"]["conversion"];
  const json::Value config = conversion["webhook"]["clientConfig"];
  const std::string_view strategy = conversion["strategy"].string_or_empty();
  if (strategy != "Webhook") {
    return findings.failed(subject,
                           "must convert by a webhook; found strategy " +
                               std::string(strategy.empty() ? "None" : strategy) +
                               ": fields that only one version has are lost",
                           "apply the definition with its conversion webhook");
  }
  if (config["url"].is_string()) {
    return findings.skipped(subject, "calls a URL, which only the API server may reach");
  }
  const ServiceEvidence* const service = evidence.service_of(config);
  if (service == nullptr) {
    return findings.failed(subject, "must name the Service that converts; found none",
                           "apply the definition with the Service of this release");
  }
  if (service->is_missing) {
    return findings.failed(subject, "must call a Service that exists; " + service->service.problem,
                           "apply the definition with the Service of this release");
  }
  if (!service->service.has_value()) return findings.skipped(subject, service->service.problem);
  if (!service->endpoint_slices.has_value()) {
    return findings.skipped(subject, service->endpoint_slices.problem);
  }
  if (service->endpoints.empty()) {
    return findings.failed(subject,
                           "must call a Service with a ready endpoint; found none in " +
                               service->label() + ": no object can be read in its other version",
                           "check the readiness of its pods, and its selector");
  }
  const auto answers = std::ranges::count_if(service->endpoints, [](const ServiceEndpoint& each) {
    return each.was_asked && each.peer.has_value();
  });
  const std::string called = "calls " + service->label() + ", with " +
                             std::to_string(service->endpoints.size()) + " ready endpoints";
  if (answers == 0) {
    return findings.skipped(subject, called + ", none of which was reached from here",
                            "run the doctor in a pod");
  }
  findings.ok(subject, called);
}

// "dynamo-system/operator 1.0.0", for each operator
std::string join_operators(const std::vector<kube::Object>& operators) {
  std::string words;
  for (const kube::Object& each : operators) {
    words.append(words.empty() ? "" : ", ").append(each.namespace_name()).append("/");
    words.append(each.name()).append(" ");
    const std::string version = operator_version(each);
    words += version.empty() ? "of unknown version" : version;
  }
  return words;
}

}  // namespace

void generation_known(const Evidence& evidence, Findings& findings) {
  const std::string subject = "Dynamo operator";
  const api::Fact served = serves_v1beta1(evidence, api::Kind::kGraphDeployment);
  if (served == api::Fact::kUnknown) {
    return findings.skipped(subject, evidence.definitions.problem);
  }
  cluster::ConfiguredFacts configured;
  const std::vector<kube::Object>& operators = evidence.operators.value;
  if (operators.size() == 1) configured.operator_version = operator_version(operators.front());
  const api::OperatorGeneration found = cluster::detect_generation(served, configured);
  std::string text = "generation " + std::string(api::name(found)) + ": graphs are served as " +
                     (served == api::Fact::kYes ? "v1beta1" : "v1alpha1 only");
  if (!operators.empty()) text += "; found " + join_operators(operators);
  const api::OperatorGeneration stated = evidence.operator_generation;
  if (stated == api::OperatorGeneration::kUnknown || found == api::OperatorGeneration::kUnknown ||
      stated == found) {
    return findings.ok(subject, std::move(text));
  }
  findings.warning(subject,
                   "must be of the generation of --operator-generation, " +
                       std::string(api::name(stated)) + "; found " + text,
                   "set dynamo-operator.webhook.operatorGeneration to " +
                       std::string(api::name(found)) + ", or to auto");
}

void stored_versions_known(const Evidence& evidence, Findings& findings) {
  if (!evidence.definitions.has_value()) {
    findings.skipped("CustomResourceDefinitions", evidence.definitions.problem);
  }
  for (const kube::Object& definition : evidence.definitions.value) {
    const std::string subject = definition_subject(definition);
    const std::string wanted(storage_version(definition.root()));
    const json::Value stored = definition.root()["status"]["storedVersions"];
    const std::string found = join_versions(stored);
    if (found == wanted) {
      findings.ok(subject, "stores every object as " + wanted);
    } else {
      std::string text = "status.storedVersions must be ";
      text.append(wanted).append(" alone; found ").append(found);
      text.append(": objects may still be stored in another version");
      findings.warning(subject, std::move(text),
                       "keep every version until all objects are stored again, see "
                       "docs/operations/conversion.md");
    }
  }
}

void conversion_callable(const Evidence& evidence, Findings& findings) {
  for (const kube::Object& definition : evidence.definitions.value) {
    check_conversion(evidence, definition, findings);
  }
}

}  // namespace dynamo::doctor
