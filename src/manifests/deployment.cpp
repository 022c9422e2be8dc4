#include "manifests/builders.hpp"

#include <charconv>
#include <cstdint>

#include "json/writer.hpp"
#include "manifests/pod_metadata.hpp"
#include "manifests/pod_object.hpp"
#include "render/component/names.hpp"
#include "render/document/well_known.hpp"
#include "render/object/write.hpp"

namespace dynamo::render {
namespace {

// A number of pods or a percentage: a whole number is sent as an integer, everything else as text.
void write_amount(json::Writer& out, std::string_view name, const Label* annotation) {
  constexpr std::string_view kDefault = "25%";
  out.key(name);
  const std::string_view text = annotation == nullptr ? kDefault : annotation->value;
  std::int32_t number = 0;
  const char* const begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const auto read = std::from_chars(begin, text.data() + text.size(), number);
  if (read.ec == std::errc{} && read.ptr == text.data() + text.size()) {
    out.integer(number);
  } else {
    out.string(text);
  }
}

// Only the component's annotation sets the strategy's type; the annotations of the Deployment set
// its amounts.
void write_strategy(json::Writer& out, const Component& component,
                    std::span<const Label> annotations) {
  out.key("strategy").start_object();
  if (component.annotation(annotation::kStrategy).string_or_empty() == "Recreate") {
    out.member("type", "Recreate").end_object();
    return;
  }
  out.key("rollingUpdate").start_object();
  write_amount(out, "maxSurge", find_label(annotations, annotation::kMaxSurge));
  write_amount(out, "maxUnavailable", find_label(annotations, annotation::kMaxUnavailable));
  out.end_object().member("type", "RollingUpdate").end_object();
}

}  // namespace

DesiredObject build_deployment(const Component& component, const OwnerMetadata& owner,
                               const RenderEnvironment& environment, Arena& arena) {
  const std::span<const Label> annotations = workload_annotations(component, arena);
  std::string spec = "\"spec\":";
  json::Writer out(spec);
  out.start_object();
  if (component.debug_twin) {
    out.key("replicas").integer(1);
  } else if (const json::Value replicas = component.service.value()["replicas"];
             !replicas.is_nothing()) {
    out.key("replicas").value(replicas);
  }
  const Label selector = selector_label(component, arena);
  out.key("selector").start_object().key("matchLabels");
  write_labels(out, {&selector, 1});
  out.end_object();
  write_strategy(out, component, annotations);
  out.key("template");
  const Pod pod = render_pod(component, PodRole::kMain, arena);
  const std::span<const Label> labels = pod_labels(component, PodRole::kMain, arena);
  const std::span<const Label> of_pod = pod_annotations(component, arena);
  write_desired_template(out, component, pod, with_selector_labels(component, labels, arena),
                         with_podinfo_annotations(component, of_pod, arena), environment, arena);
  out.end_object();
  return make_desired_object({.api_version = "apps/v1",
                              .kind = "Deployment",
                              .name = deployment_name(component).in(arena),
                              .namespace_name = component.namespace_name,
                              .labels = workload_labels(component, arena),
                              .annotations = annotations,
                              .owner = owner},
                             spec);
}

}  // namespace dynamo::render
