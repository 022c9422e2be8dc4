#include "manifests/pod_metadata.hpp"

#include <string_view>

#include "manifests/label_list.hpp"
#include "render/component/services.hpp"
#include "render/document/well_known.hpp"
#include "render/pod/checkpoint.hpp"

namespace dynamo::render {
namespace {

std::string_view backend_name(const Component& component) {
  switch (discovery_of(component)) {
    case DiscoveryBackend::kKubernetes:
      return "kubernetes";
    case DiscoveryBackend::kEtcd:
      return "etcd";
    case DiscoveryBackend::kOther:
      return component.annotation(annotation::kDiscoveryBackend).string_or_empty();
    case DiscoveryBackend::kUnknown:
      break;
  }
  return {};
}

}  // namespace

std::vector<Label> with_selector_labels(const Component& component, std::span<const Label> labels,
                                        Arena& arena) {
  std::vector<Label> all = list_of(labels);
  const std::span<const RenderedService> services = render_services(component, arena);
  if (services.empty() || services.front().headless) return all;
  for (const Label& wanted : services.front().selector) add_label_if_absent(all, wanted);
  return all;
}

std::vector<Label> with_podinfo_annotations(const Component& component,
                                            std::span<const Label> annotations, Arena& arena) {
  std::vector<Label> all = list_of(annotations);
  if (checkpoint_edits_pods(component) != api::Fact::kYes) return all;
  const auto add = [&all](std::string_view key, std::string_view value) {
    if (!value.empty()) add_label_if_absent(all, {.key = key, .value = value});
  };
  add("nvidia.com/dyn-namespace", dynamo_namespace(component).in(arena));
  add("nvidia.com/dyn-component", component.service.component_type());
  add("nvidia.com/dyn-parent-dgd-name", component.graph_name);
  add("nvidia.com/dyn-parent-dgd-namespace", component.namespace_name);
  add("nvidia.com/dyn-discovery-backend", backend_name(component));
  return all;
}

}  // namespace dynamo::render
