#include <algorithm>
#include <array>

#include "manifests/hub_builders.hpp"
#include "manifests/label_list.hpp"
#include "render/component/hash.hpp"
#include "render/document/well_known.hpp"

namespace dynamo::render {
namespace {

constexpr std::string_view kInject = "sidecar.istio.io/inject";

void set_all(std::vector<Label>& labels, json::Value map) {
  for (const auto [key, value] : map.members()) {
    set_label(labels, {.key = key, .value = value.string_or_empty()});
  }
}

void set_own(std::vector<Label>& labels, std::string_view key, std::string_view value) {
  if (!value.empty()) set_label(labels, {.key = key, .value = value});
}

json::Value template_map(const Component& component, std::string_view name) {
  return component.hub["podTemplate"]["metadata"][name];
}

void set_worker_labels(const HubComponent& of, std::vector<Label>& labels) {
  const Component& component = of.component;
  set_own(labels, label::kWorkerHash, component.worker_hash);
  if (of.graph_has_picker && is_worker_like(component.type)) {
    set_own(labels, label::kComponentClass, "worker");
  }
}

// The labels by which a DynamoComponentDeployment is found.
void set_identity(const HubComponent& of, Arena& arena, std::vector<Label>& labels) {
  const Component& component = of.component;
  set_own(labels, label::kComponent, component.service_name);
  set_own(labels, label::kDynamoNamespace, dynamo_namespace(component).in(arena));
  set_own(labels, label::kGraph, component.graph_name);
  set_worker_labels(of, labels);
}

// A type that v1alpha1 had next to that of the component.
std::string_view sub_type(const Component& component) {
  const bool is_type =
      component.type == ComponentType::kPrefill || component.type == ComponentType::kDecode;
  return is_type ? std::string_view{} : component.alpha["subComponentType"].string_or_empty();
}

void set_model(const Component& component, Arena& arena, std::vector<Label>& labels) {
  const std::string_view model = component.hub["modelRef"]["name"].string_or_empty();
  if (!model.empty()) {
    set_own(labels, label::kBaseModelHash, arena.join({base_model_hash(model).view()}));
  }
}

void set_discovery(const Component& component, std::vector<Label>& labels) {
  if (discovery_of(component) != DiscoveryBackend::kKubernetes) return;
  set_own(labels, label::kDiscoveryBackend, "kubernetes");
  set_own(labels, label::kDiscoveryEnabled, "true");
}

}  // namespace

bool is_run_by_grove(const Component& component) {
  const Workload workload = workload_of(component);
  return workload == Workload::kPodClique || workload == Workload::kPodCliqueScalingGroup;
}

std::vector<Label> hub_component_labels(const HubComponent& of, Arena& arena) {
  std::vector<Label> labels;
  if (!of.component.in_graph) set_all(labels, of.component.object_labels);
  set_all(labels, of.graph_spec["labels"]);
  set_all(labels, template_map(of.component, "labels"));
  set_identity(of, arena, labels);
  return labels;
}

std::vector<Label> hub_workload_labels(const HubComponent& of, Arena& arena) {
  const Component& component = of.component;
  std::vector<Label> labels;
  if (!component.in_graph) set_all(labels, component.object_labels);
  set_all(labels, of.graph_spec["labels"]);
  set_all(labels, component.alpha["labels"]);
  set_all(labels, template_map(component, "labels"));
  set_model(component, arena, labels);
  set_own(labels, label::kSubComponentType, sub_type(component));
  set_identity(of, arena, labels);
  return labels;
}

std::vector<Label> hub_pod_labels(const HubComponent& of, PodRole role, Arena& arena) {
  const Component& component = of.component;
  std::vector<Label> labels = hub_workload_labels(of, arena);
  if (metrics_enabled(component) == api::Fact::kYes) {
    set_own(labels, label::kMetricsEnabled, "true");
  }
  set_own(labels, label::kComponentType, component.type_name);
  if (role == PodRole::kMain) {
    set_own(labels, label::kSelector, of.deployment);
  } else {
    set_own(labels, label::kRole, role == PodRole::kLeader ? "leader" : "worker");
  }
  set_checkpoint_labels(of, labels);
  set_discovery(component, labels);
  return labels;
}

std::vector<Label> hub_annotations(const HubComponent& of) {
  const Component& component = of.component;
  std::vector<Label> all;
  if (component.in_graph) {
    for (const std::string_view key : kInheritedAnnotations) {
      set_own(all, key, component.object_annotations[key].string_or_empty());
    }
  }
  set_all(all, of.graph_spec["annotations"]);
  set_all(all, component.alpha["annotations"]);
  set_all(all, template_map(component, "annotations"));
  set_own(all, annotation::kBaseModel, component.hub["modelRef"]["name"].string_or_empty());
  if (component.type == ComponentType::kEndpointPicker) {
    set_label(all, {.key = kInject, .value = "false"});
    const json::Value own = template_map(component, "annotations")[kInject];
    if (own.is_string()) set_label(all, {.key = kInject, .value = own.string_or_empty()});
  }
  std::erase_if(all, [](const Label& each) { return each.key == annotation::kOriginVersion; });
  set_topology_source(component, all);
  set_checkpoint_annotations(of, all);
  return all;
}

std::vector<Label> hub_service_labels(const HubComponent& of, Arena& arena) {
  std::vector<Label> labels;
  if (is_run_by_grove(of.component)) {
    set_all(labels, of.component.alpha["labels"]);
  } else {
    labels = hub_component_labels(of, arena);
  }
  set_discovery(of.component, labels);
  return labels;
}

std::vector<Label> hub_clique_labels(const HubComponent& of, Arena& arena) {
  const Component& component = of.component;
  std::vector<Label> labels;
  set_model(component, arena, labels);
  if (metrics_enabled(component) == api::Fact::kYes) {
    set_own(labels, label::kMetricsEnabled, "true");
  }
  set_all(labels, of.graph_spec["labels"]);
  set_all(labels, component.alpha["labels"]);
  set_all(labels, template_map(component, "labels"));
  set_identity(of, arena, labels);
  set_own(labels, label::kSelector, component_name(component).in(arena));
  set_own(labels, label::kComponentType, component.type_name);
  set_own(labels, label::kSubComponentType, sub_type(component));
  set_checkpoint_labels(of, labels);
  set_discovery(component, labels);
  return labels;
}

std::vector<Label> hub_clique_annotations(const HubComponent& of,
                                          const RenderEnvironment& environment) {
  const Component& component = of.component;
  std::vector<Label> all;
  for (const std::string_view key : kInheritedAnnotations) {
    set_own(all, key, component.object_annotations[key].string_or_empty());
  }
  set_all(all, of.graph_spec["annotations"]);
  set_all(all, component.alpha["annotations"]);
  set_all(all, template_map(component, "annotations"));
  set_topology_source(component, all);
  set_checkpoint_annotations(of, all);
  for (const RestartMark& mark : environment.restarts) {
    if (mark.service == component.service_name) set_own(all, annotation::kRestartAt, mark.value);
  }
  return all;
}

}  // namespace dynamo::render
