#include "defaulters/graph_deployment.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

#include "api/limits.hpp"
#include "json/pointer.hpp"
#include "json/writer.hpp"

namespace dynamo::defaulters::graph_deployment {

void origin_version(const api::Context& context, const api::GraphDeployment& graph,
                    const api::GraphDeployment&, json::PatchWriter& patch) {
  const json::Value metadata = graph.value()["metadata"];
  const json::Value annotations = metadata["annotations"];
  if (annotations[api::kOriginVersionAnnotation].exists()) return;
  const std::string& version = context.settings.operator_version;
  if (version.empty()) return;  // no operator version is known, as in offline validation
  if (annotations.is_object()) {
    std::string pointer = "/metadata/annotations";
    json::append_pointer_token(pointer, api::kOriginVersionAnnotation);
    patch.add(pointer, [&](json::Writer& value) { value.string(version); });
  } else if (annotations.is_nothing() && metadata.is_object()) {
    patch.add("/metadata/annotations", [&](json::Writer& value) {
      value.start_object().member(api::kOriginVersionAnnotation, version).end_object();
    });
  }
  // The validators refuse annotations or metadata of another type.
}

namespace {

// A service's name becomes a label value. A longer name makes pods impossible, and the patch must
// not grow with it.
constexpr std::size_t kLongestName = 63;

std::int64_t replicas_of(json::Value service, json::Value before) {
  constexpr std::int64_t kDefault = 1;
  if (!api::Service{service}.is_scaling_adapter_enabled() &&
      !api::Service{before}.is_scaling_adapter_enabled()) {
    return kDefault;
  }
  return before["replicas"].integer().value_or(kDefault);
}

}  // namespace

void replicas(const api::Context&, const api::GraphDeployment& graph,
              const api::GraphDeployment& old, json::PatchWriter& patch) {
  const json::Value services = graph.services();
  // A larger graph is refused and therefore not changed: verifying each patch operation takes time
  // linear in the object.
  if (services.size() > api::kMaxServices) return;
  for (const json::Member service : services.members()) {
    if (service.name.size() > kLongestName) continue;
    if (!service.value.is_object() || !service.value["replicas"].is_nothing()) continue;
    // Of duplicate names only the last one counts.
    if (services[service.name].node() != service.value.node()) continue;
    std::string pointer = "/spec/services";
    json::append_pointer_token(pointer, service.name);
    pointer += "/replicas";
    const std::int64_t number = replicas_of(service.value, old.services()[service.name]);
    patch.add(pointer, [number](json::Writer& value) { value.integer(number); });
  }
}

}  // namespace dynamo::defaulters::graph_deployment
