#include "manifests/builders.hpp"

#include <array>

#include "json/writer.hpp"
#include "manifests/pod_object.hpp"
#include "render/document/well_known.hpp"

namespace dynamo::render {

bool requests_checkpoint(const Component& component) {
  const json::Value checkpoint = component.service.value()["checkpoint"];
  const std::string_view mode = checkpoint["mode"].string_or_empty();
  return component.from_checkpoint && checkpoint["identity"].is_object() &&
         checkpoint["checkpointRef"].string_or_empty().empty() && (mode.empty() || mode == "Auto");
}

Component checkpoint_component(const Component& component) {
  Component job = component;
  job.node_count = 1;
  job.from_checkpoint = false;
  job.workload = Workload::kDeployment;
  const std::string_view framework =
      component.service.value()["checkpoint"]["identity"]["backendFramework"].string_or_empty();
  job.backend_framework = framework == "noop" ? std::string_view{} : framework;
  job.framework_is_certain = true;
  return job;
}

DesiredObject build_checkpoint(const Component& component, const Component& job,
                               std::string_view hash, const RenderEnvironment& environment,
                               Arena& arena) {
  const std::array<Label, 3> labels = {
      Label{.key = label::kCheckpointHash, .value = hash},
      Label{.key = label::kComponent, .value = component.service_name},
      Label{.key = label::kGraph, .value = component.graph_name}};
  std::string spec = "\"spec\":";
  json::Writer out(spec);
  out.start_object().key("identity");
  out.value(component.service.value()["checkpoint"]["identity"]);
  out.key("job").start_object().key("podTemplateSpec").start_object();
  out.key("metadata").start_object().key("labels").start_object();
  out.member(label::kComponent, component.service_name).end_object().end_object().key("spec");
  const Pod pod = render_pod(job, PodRole::kCheckpoint, arena);
  write_desired_pod_spec(out, job, pod, {}, environment, arena);
  out.end_object().end_object().end_object();
  return make_desired_object({.api_version = api::kApiVersion,
                              .kind = "DynamoCheckpoint",
                              .name = hash,
                              .namespace_name = component.namespace_name,
                              .labels = labels},
                             spec);
}

}  // namespace dynamo::render
