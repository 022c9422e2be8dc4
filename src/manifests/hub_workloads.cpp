#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "json/writer.hpp"
#include "manifests/builders.hpp"
#include "manifests/hub_builders.hpp"
#include "manifests/label_list.hpp"
#include "manifests/merged_json.hpp"
#include "manifests/pod_object.hpp"
#include "manifests/user_metadata.hpp"
#include "render/component/experimental.hpp"
#include "render/component/names.hpp"
#include "render/document/limits.hpp"
#include "render/document/well_known.hpp"
#include "render/object/write.hpp"
#include "render/pod/launch.hpp"

namespace dynamo::render {
namespace {

void write_main(json::Writer& out, const Component& component, json::Value main) {
  out.start_object();
  if (!main.exists()) out.member("name", kMainContainerName);
  for (const auto [name, value] : main.members()) {
    if (name != "env") out.key(name).value(value);
  }
  out.key("env").start_array();
  for (const json::Member& variable : merged_variables(component.graph_envs, main["env"])) {
    out.value(variable.value);
  }
  out.end_array().end_object();
}

void write_containers(json::Writer& out, const Component& component) {
  const json::Value main = component.main_container();
  out.key("containers").start_array();
  if (!main.exists()) write_main(out, component, main);
  for (const json::Value container : component.pod()["containers"].elements()) {
    if (container["name"].string_or_empty() == kMainContainerName) {
      write_main(out, component, container);
    } else {
      out.value(container);
    }
  }
  out.end_array();
}

// The pod template with the graph's variables, and a planner's account.
void write_pod_spec_of_component(json::Writer& out, const Component& component) {
  const bool is_planner = component.type == ComponentType::kPlanner;
  out.key("spec").start_object();
  const bool rewrites = component.graph_envs.size() > 0;
  for (const auto [name, value] : component.pod().members()) {
    const bool is_own =
        (rewrites && name == "containers") || (is_planner && name == "serviceAccountName");
    if (!is_own) out.key(name).value(value);
  }
  if (rewrites) write_containers(out, component);
  if (is_planner) out.member("serviceAccountName", kPlannerServiceAccount);
  out.end_object();
}

// Labels or annotations of the pod template, which override those of the graph.
std::vector<Label> template_metadata(const HubComponent& of, std::string_view name) {
  std::vector<Label> all;
  for (const json::Value map :
       {of.graph_spec[name], of.component.hub["podTemplate"]["metadata"][name]}) {
    for (const auto [key, value] : map.members()) {
      set_label(all, {.key = key, .value = value.string_or_empty()});
    }
  }
  return all;
}

void write_hub_metadata(json::Writer& out, const HubComponent& of,
                        const RenderEnvironment& environment) {
  std::vector<Label> labels = template_metadata(of, "labels");
  if (!of.component.worker_hash.empty()) {
    set_label(labels, {.key = label::kWorkerHash, .value = of.component.worker_hash});
  }
  std::vector<Label> annotations = template_metadata(of, "annotations");
  for (const std::string_view key : kInheritedAnnotations) {
    const json::Value value = of.component.object_annotations[key];
    if (value.is_string()) add_label_if_absent(annotations, {.key = key, .value = *value.string()});
  }
  for (const RestartMark& mark : environment.restarts) {
    if (mark.service != of.component.service_name) continue;
    set_label(annotations, {.key = annotation::kRestartAt, .value = mark.value});
  }
  out.key("metadata");
  write_template_metadata(out, labels, annotations);
}

// A number of pods or a percentage, see build_deployment().
void write_hub_amount(json::Writer& out, std::string_view name, const Label* annotation) {
  const std::string_view text = annotation == nullptr ? "25%" : annotation->value;
  std::int32_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = read.ec == std::errc{} && read.ptr == text.data() + text.size();
  out.key(name);
  whole ? out.integer(number) : out.string(text);
}

void write_hub_strategy(json::Writer& out, const std::vector<Label>& annotations) {
  const Label* const type = find_label(annotations, annotation::kStrategy);
  out.key("strategy").start_object();
  if (type != nullptr && type->value == "Recreate") {
    out.member("type", "Recreate").end_object();
    return;
  }
  out.key("rollingUpdate").start_object();
  write_hub_amount(out, "maxSurge", find_label(annotations, annotation::kMaxSurge));
  write_hub_amount(out, "maxUnavailable", find_label(annotations, annotation::kMaxUnavailable));
  out.end_object().member("type", "RollingUpdate").end_object();
}

void write_replicas(json::Writer& out, const Component& component) {
  out.key("replicas").integer(component.hub["replicas"].integer().value_or(1));
}

// Those of a workload.
void write_pod_replicas(json::Writer& out, const HubComponent& of) {
  of.is_gated ? void(out.key("replicas").integer(0)) : write_replicas(out, of.component);
}

// Components of a graph refer to its checkpoint.
void write_experimental(json::Writer& out, const HubComponent& of, json::Value experimental) {
  out.start_object();
  for (const auto [name, value] : experimental.members()) {
    out.key(name);
    if (name != "checkpoint" || of.checkpoint.empty()) {
      out.value(value);
      continue;
    }
    out.start_object();
    for (const auto [field, of_checkpoint] : value.members()) {
      const bool is_replaced = field == "checkpointRef" || field == "identity" || field == "job";
      if (!is_replaced) out.key(field).value(of_checkpoint);
    }
    out.member("checkpointRef", of.checkpoint).end_object();
  }
  out.end_object();
}

}  // namespace

std::optional<RenderRefusal> hub_refusal_of(const HubComponent& of, const api::FieldPath& path,
                                            Arena& arena) {
  const Component& component = of.component;
  auto refused = refusal_of_features(of, path);
  if (!refused) refused = refusal_of_checkpoint(of, path);
  if (!refused) refused = refusal_of_template(component, path);
  if (!refused) refused = refusal_of_metadata(component, path, LabelTarget::kWorkload);
  const Workload workload = workload_of(component);
  for (const PodRole role : roles_of(component)) {
    if (refused) break;
    const Pod pod = render_pod(component, role, arena);
    refused = refusal_of(component, pod, path, arena);
    const api::FieldPath pod_path = path.child("extraPodSpec");
    const api::FieldPath main_path = pod_path.child("mainContainer");
    if (refused || !component.is_multinode()) continue;
    const Launch launch = launch_of(component, pod.backend, role, pod.main(), arena);
    if (!launch.problem.empty()) {
      refused = RenderRefusal{main_path.render(), std::string(launch.problem)};
    } else if (workload == Workload::kLeaderWorkerSet &&
               (launch.command.empty() || launch.args.empty())) {
      refused = RenderRefusal{main_path.render(),
                              "must give a command and args for a component of several nodes"};
    }
  }
  return refused;
}

DesiredObject build_hub_component(const HubComponent& of, const OwnerMetadata& owner,
                                  const RenderEnvironment& environment, Arena& arena) {
  const Component& component = of.component;
  const std::vector<Label> labels = hub_component_labels(of, arena);
  std::vector<Label> annotations;
  set_topology_source(component, annotations);
  std::string spec = "\"spec\":";
  json::Writer out(spec);
  out.start_object();
  for (const auto [name, value] : component.hub.members()) {
    if (name == "podTemplate") continue;
    out.key(name);
    name == "experimental" ? write_experimental(out, of, value) : void(out.value(value));
  }
  if (!of.framework.empty()) out.member("backendFramework", of.framework);
  out.key("podTemplate").start_object();
  write_hub_metadata(out, of, environment);
  write_pod_spec_of_component(out, component);
  out.end_object().end_object();
  return make_desired_object({.api_version = kHubApiVersion,
                              .kind = "DynamoComponentDeployment",
                              .name = of.deployment,
                              .namespace_name = component.namespace_name,
                              .labels = labels,
                              .annotations = annotations,
                              .owner = owner},
                             spec);
}

DesiredObject build_hub_deployment(const HubComponent& of, const OwnerMetadata& owner,
                                   const RenderEnvironment& environment, Arena& arena) {
  const Component& component = of.component;
  const std::vector<Label> labels = hub_workload_labels(of, arena);
  const std::vector<Label> annotations = hub_annotations(of);
  std::string spec = "\"spec\":";
  json::Writer out(spec);
  out.start_object();
  write_pod_replicas(out, of);
  const Label selector{.key = label::kSelector, .value = of.deployment};
  out.key("selector").start_object().key("matchLabels");
  write_labels(out, {&selector, 1});
  out.end_object();
  write_hub_strategy(out, annotations);
  out.key("template");
  write_desired_template(out, component, render_pod(component, PodRole::kMain, arena),
                         hub_pod_labels(of, PodRole::kMain, arena), annotations, environment,
                         arena);
  out.end_object();
  return make_desired_object({.api_version = "apps/v1",
                              .kind = "Deployment",
                              .name = of.deployment,
                              .namespace_name = component.namespace_name,
                              .labels = labels,
                              .annotations = annotations,
                              .owner = owner},
                             spec);
}

DesiredObject build_hub_group(const HubComponent& of, const OwnerMetadata& owner,
                              const RenderEnvironment& environment, Arena& arena) {
  const Component& component = of.component;
  const std::vector<Label> labels = hub_component_labels(of, arena);
  const std::vector<Label> annotations = hub_annotations(of);
  std::string spec = "\"spec\":";
  json::Writer out(spec);
  out.start_object();
  write_pod_replicas(out, of);
  out.member("startupPolicy", "LeaderCreated");
  out.key("leaderWorkerTemplate").start_object().key("size").integer(component.node_count);
  for (const PodRole role : {PodRole::kLeader, PodRole::kWorker}) {
    out.key(role == PodRole::kLeader ? "leaderTemplate" : "workerTemplate");
    write_desired_template(out, component, render_pod(component, role, arena),
                           hub_pod_labels(of, role, arena), annotations, environment, arena);
  }
  out.end_object().end_object();
  return make_desired_object({.api_version = "leaderworkerset.x-k8s.io/v1",
                              .kind = "LeaderWorkerSet",
                              .name = arena.join({of.deployment, "-0"}),
                              .namespace_name = component.namespace_name,
                              .labels = labels,
                              .owner = owner},
                             spec);
}

std::vector<Label> hub_service_selector(const Component& component, Arena& arena) {
  std::vector<Label> selector;
  set_label(selector, {.key = label::kComponent, .value = component.service_name});
  set_label(selector, {.key = label::kComponentType, .value = component.type_name});
  set_label(selector,
            {.key = label::kDynamoNamespace, .value = dynamo_namespace(component).in(arena)});
  if (workload_of(component) == Workload::kLeaderWorkerSet) {
    set_label(selector, {.key = label::kRole, .value = "leader"});
  }
  return selector;
}

std::optional<DesiredObject> build_hub_service(const HubComponent& of, const OwnerMetadata& owner,
                                               Arena& arena) {
  const Component& component = of.component;
  const bool is_wanted = component.type == ComponentType::kFrontend ||
                         discovery_of(component) == DiscoveryBackend::kKubernetes;
  if (!is_wanted) return std::nullopt;
  const ServicePort served = service_port(component);
  const bool is_picker = component.type == ComponentType::kEndpointPicker;
  std::string spec = "\"spec\":";
  json::Writer out(spec);
  out.start_object().key("ports").start_array().start_object();
  if (is_picker) out.member("appProtocol", "http2");
  out.member("name", served.name).key("port").integer(served.number);
  out.member("protocol", "TCP").key("targetPort");
  is_picker ? out.integer(served.number) : out.string(served.name);
  out.end_object().end_array().key("selector");
  write_labels(out, hub_service_selector(component, arena));
  out.end_object();
  const std::vector<Label> labels = hub_service_labels(of, arena);
  const std::vector<Label> annotations =
      is_run_by_grove(component) ? std::vector<Label>{} : hub_annotations(of);
  return make_desired_object({.api_version = "v1",
                              .kind = "Service",
                              .name = access_name(component).in(arena),
                              .namespace_name = component.namespace_name,
                              .labels = labels,
                              .annotations = annotations,
                              .owner = owner},
                             spec);
}

DesiredObject build_hub_adapter(const HubComponent& of, const OwnerMetadata& owner, Arena& arena) {
  const Component& component = of.component;
  std::string spec = "\"spec\":";
  json::Writer out(spec);
  out.start_object().key("dgdRef").start_object().member("name", component.graph_name);
  out.member("componentName", component.service_name).end_object();
  write_replicas(out, component);
  out.end_object();
  const std::array<Label, 2> labels = {
      Label{.key = label::kComponent, .value = component.service_name},
      Label{.key = label::kGraph, .value = component.graph_name}};
  return make_desired_object(
      {.api_version = kHubApiVersion,
       .kind = "DynamoGraphDeploymentScalingAdapter",
       .name = Name(component.graph_name).with("-").lowered(component.service_name).in(arena),
       .namespace_name = component.namespace_name,
       .labels = labels,
       .owner = owner},
      spec);
}

}  // namespace dynamo::render
