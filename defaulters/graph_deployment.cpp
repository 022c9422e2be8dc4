#include "defaulters/graph_deployment.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "json/pointer.hpp"
#include "json/writer.hpp"

namespace dynamo::defaulters::graph_deployment {

void origin_version(const api::Context& context, const api::GraphDeployment& graph,
                    json::PatchWriter& patch) {
  const json::Value metadata = graph.value()["metadata"];
  const json::Value annotations = metadata["annotations"];
  if (annotations[api::kOriginVersionAnnotation].exists()) return;
  const std::string& version = context.settings.operator_version;
  if (annotations.is_object()) {
    std::string pointer = "/metadata/annotations";
    json::append_pointer_token(pointer, api::kOriginVersionAnnotation);
    patch.add(pointer, [&](json::Writer& value) { value.string(version); });
  } else if (annotations.is_nothing() && metadata.is_object()) {
    patch.add("/metadata/annotations", [&](json::Writer& value) {
      value.start_object().member(api::kOriginVersionAnnotation, version).end_object();
    });
  }
  // Annotations or metadata of another type are for the validators to refuse.
}

namespace {

// How many operations the patch may take for the services. Checking each of them takes time linear
// in the object; a graph with more services than this is nobody's.
constexpr std::size_t kMostServicesOneByOne = 32;

bool lacks_replicas(json::Value service) {
  return service.is_object() && service["replicas"].is_nothing();
}

void write_with_replicas(json::Value service, json::Writer& value) {
  value.start_object();
  for (const json::Member field : service.members()) {
    if (field.name != "replicas") value.key(field.name).value(field.value);
  }
  value.key("replicas").integer(1).end_object();
}

void replace_services(json::Value services, json::PatchWriter& patch) {
  patch.add("/spec/services", [&](json::Writer& value) {
    value.start_object();
    for (const json::Member service : services.members()) {
      value.key(service.name);
      if (lacks_replicas(service.value)) {
        write_with_replicas(service.value, value);
      } else {
        value.value(service.value);
      }
    }
    value.end_object();
  });
}

}  // namespace

void replicas(const api::Context&, const api::GraphDeployment& graph, json::PatchWriter& patch) {
  const json::Value services = graph.services();
  std::array<json::Member, kMostServicesOneByOne> lacking;
  std::size_t count = 0;
  for (const json::Member service : services.members()) {
    if (!lacks_replicas(service.value)) continue;
    if (count == lacking.size()) return replace_services(services, patch);
    lacking[count++] = service;
  }
  for (const json::Member& service : std::span(lacking).first(count)) {
    // Of duplicate names only the last one counts.
    if (services[service.name].node() != service.value.node()) continue;
    std::string pointer = "/spec/services";
    json::append_pointer_token(pointer, service.name);
    pointer += "/replicas";
    patch.add(pointer, [](json::Writer& value) { value.integer(1); });
  }
}

}  // namespace dynamo::defaulters::graph_deployment
