#include "manifests/builders.hpp"

#include <array>

#include "json/writer.hpp"
#include "render/document/well_known.hpp"
#include "render/object/write.hpp"

namespace dynamo::render {
namespace {

bool through_grove(const Component& component) {
  const Workload workload = workload_of(component);
  return workload == Workload::kPodClique || workload == Workload::kPodCliqueScalingGroup;
}

// Whether the target port is a number: for headless Services, as for gRPC.
bool by_number(const RenderedService& service) {
  return service.headless || service.port.number == port::kGrpc;
}

void write_port(json::Writer& out, const Component& component, const RenderedService& service) {
  out.key("ports").start_array().start_object();
  const bool grove = through_grove(component) && !service.headless;
  if (grove && component.type == ComponentType::kEndpointPicker) {
    out.member("appProtocol", "http2");
  }
  out.member("name", service.port.name).key("port").integer(service.port.number);
  out.member("protocol", "TCP").key("targetPort");
  by_number(service) ? out.integer(service.port.number) : out.string(service.port.name);
  out.end_object().end_array();
}

}  // namespace

DesiredObject build_service(const Component& component, const RenderedService& service,
                            const OwnerMetadata& owner, Arena& arena) {
  std::string spec = "\"spec\":";
  json::Writer out(spec);
  out.start_object();
  if (service.headless) out.member("clusterIP", "None");
  write_port(out, component, service);
  out.key("selector");
  write_labels(out, service.selector);
  out.end_object();

  ObjectHead head{.api_version = "v1",
                  .kind = "Service",
                  .name = service.name.in(arena),
                  .namespace_name = component.namespace_name,
                  .owner = owner};
  if (service.headless) {
    const std::array<Label, 2> labels = {service.selector.front(),
                                         {.key = label::kManagedBy, .value = "dynamo-operator"}};
    const Label annotation = {
        .key = annotation::kBaseModel,
        .value = component.service.value()["modelRef"]["name"].string_or_empty()};
    head.labels = labels;
    head.annotations = {&annotation, 1};
    return make_desired_object(head, spec);
  }
  head.labels = service_labels(component, arena);
  if (!through_grove(component)) head.annotations = workload_annotations(component, arena);
  return make_desired_object(head, spec);
}

}  // namespace dynamo::render
