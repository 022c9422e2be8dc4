#include "defaulters/graph_deployment.hpp"

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

void replicas(const api::Context&, const api::GraphDeployment& graph, json::PatchWriter& patch) {
  for (const json::Member service : graph.services().members()) {
    if (!service.value.is_object() || !service.value["replicas"].is_nothing()) continue;
    std::string pointer = "/spec/services";
    json::append_pointer_token(pointer, service.name);
    pointer += "/replicas";
    patch.add(pointer, [](json::Writer& value) { value.integer(1); });
  }
}

}  // namespace dynamo::defaulters::graph_deployment
