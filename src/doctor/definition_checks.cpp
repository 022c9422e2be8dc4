#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "doctor/check_groups.hpp"

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

}  // namespace

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
