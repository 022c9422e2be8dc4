#include "manifests/builders.hpp"

#include <array>

#include "json/writer.hpp"
#include "render/component/names.hpp"
#include "render/document/well_known.hpp"

namespace dynamo::render {

DesiredObject build_scaling_adapter(const Component& component, const OwnerMetadata& owner,
                                    Arena& arena) {
  constexpr std::string_view kKind = "DynamoGraphDeploymentScalingAdapter";
  const std::string_view name = component_name(component).in(arena);
  const json::Value service = component.service.value();
  if (!service["scalingAdapter"]["enabled"].boolean().value_or(false)) {
    return unwanted_object(api::kApiVersion, kKind, std::string(name));
  }
  std::string spec = "\"spec\":";
  json::Writer out(spec);
  out.start_object().key("dgdRef").start_object().member("name", component.graph_name);
  out.member("serviceName", component.service_name).end_object();
  out.key("replicas").integer(service["replicas"].integer().value_or(1)).end_object();
  const std::array<Label, 2> labels = {
      Label{.key = label::kComponent, .value = component.service_name},
      Label{.key = label::kGraph, .value = component.graph_name}};
  return make_desired_object({.api_version = api::kApiVersion,
                              .kind = kKind,
                              .name = name,
                              .namespace_name = component.namespace_name,
                              .labels = labels,
                              .owner = owner},
                             spec);
}

}  // namespace dynamo::render
