#include "doctor/evidence.hpp"

#include <algorithm>

#include "text/base64.hpp"

namespace dynamo::doctor {

std::string WebhookEntry::subject() const {
  std::string text = mutating ? "MutatingWebhookConfiguration/" : "ValidatingWebhookConfiguration/";
  text += configuration.name();
  text += " webhook ";
  text += name();
  return text;
}

std::string_view WebhookEntry::path() const {
  std::string_view path = entry["clientConfig"]["service"]["path"].string_or_empty();
  if (const std::string_view called = url(); !called.empty()) {
    const std::size_t scheme = called.find("://");
    const std::size_t host = scheme == std::string_view::npos ? 0 : scheme + 3;
    path = called.substr(std::min(called.find('/', host), called.size()));
  }
  return path.substr(0, path.find('?'));
}

std::optional<std::string> WebhookEntry::ca_bundle() const {
  return text::decode_base64(entry["clientConfig"]["caBundle"].string_or_empty());
}

std::string definition_subject(const kube::Object& definition) {
  return "CustomResourceDefinition/" + std::string(definition.name());
}

const ServiceEvidence* Evidence::service_of(json::Value client_config) const {
  const json::Value called = client_config["service"];
  for (const auto* const list : {&services, &conversion_services}) {
    for (const ServiceEvidence& each : *list) {
      if (each.namespace_name == called["namespace"].string_or_empty() &&
          each.name == called["name"].string_or_empty() &&
          each.port == called["port"].integer().value_or(kDefaultPort)) {
        return &each;
      }
    }
  }
  return nullptr;
}

json::Value Evidence::labels_of(std::string_view namespace_name) const {
  for (const kube::Object& each : namespaces.value) {
    if (each.name() == namespace_name) return each.root()["metadata"]["labels"];
  }
  return {};
}

std::string ServiceEndpoint::label() const {
  std::string text = kube::host_and_port(host, port);
  if (!pod.empty()) text += " (pod " + pod + ')';
  return text;
}

}  // namespace dynamo::doctor
