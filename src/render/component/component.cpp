#include "render/component/component.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "render/document/well_known.hpp"

namespace dynamo::render {
namespace {

constexpr std::array kSingle = {PodRole::kMain};
constexpr std::array kSeveral = {PodRole::kLeader, PodRole::kWorker};

bool are_equal_ignoring_case(std::string_view left, std::string_view lower) {
  return std::equal(left.begin(), left.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return to_lower(a) == b; });
}

std::string_view owner_of_kind(json::Value metadata, std::string_view kind) {
  for (const json::Value owner : metadata["ownerReferences"].elements()) {
    if (owner["kind"].string_or_empty() == kind) return owner["name"].string_or_empty();
  }
  return {};
}

bool through_grove(const Component& component) {
  return component.workload == Workload::kPodClique ||
         component.workload == Workload::kPodCliqueScalingGroup;
}

DiscoveryBackend discovery_named(std::string_view name) {
  if (name == "kubernetes") return DiscoveryBackend::kKubernetes;
  if (name == "etcd") return DiscoveryBackend::kEtcd;
  return DiscoveryBackend::kOther;
}

// Later operators store the pathway of a graph in an annotation, which alone decides.
Pathway find_pathway(const Component& component) {
  const Pathway pathway = component.profile->pathway;
  if (!component.has_later_operator() || !component.in_graph) return pathway;
  const std::string_view provider =
      component.object_annotations[annotation::kProvider].string_or_empty();
  if (provider == "grove") return Pathway::kGrove;
  const bool may_be_grove = pathway == Pathway::kGrove || pathway == Pathway::kUnknown;
  return provider == "component" && may_be_grove ? Pathway::kNotGrove : pathway;
}

Workload find_workload(const Component& component) {
  const Pathway pathway = find_pathway(component);
  const bool never_grove = pathway == Pathway::kNotGrove || !component.in_graph ||
                           is_grove_disabled(component.object_annotations);
  if (!never_grove) {
    if (pathway == Pathway::kUnknown) return Workload::kUnknown;
    if (pathway == Pathway::kGrove) {
      return component.is_multinode() ? Workload::kPodCliqueScalingGroup : Workload::kPodClique;
    }
  }
  if (!component.is_multinode()) return Workload::kDeployment;
  if (pathway == Pathway::kLws) return Workload::kLeaderWorkerSet;
  // It is also unknown next to Grove whether the cluster has LeaderWorkerSets.
  if (pathway != Pathway::kComponent) return Workload::kUnknown;
  return component.in_graph ? Workload::kNone : Workload::kDeployment;
}

DiscoveryBackend find_later_discovery(const Component& component) {
  const json::Value named = component.inherited_annotation(annotation::kDiscoveryBackend);
  return named.is_string() ? discovery_named(named.string_or_empty())
                           : component.profile->discovery;
}

// Precondition: the workload is set.
DiscoveryBackend find_discovery(const Component& component) {
  if (component.in_graph) {
    const json::Value of_graph = component.object_annotations[annotation::kDiscoveryBackend];
    if (const std::optional<std::string_view> name = of_graph.string()) {
      return discovery_named(*name);
    }
  }
  const json::Value own = component.annotation(annotation::kDiscoveryBackend);
  const Workload workload = workload_of(component);
  if (!own.is_string() || through_grove(component)) return component.profile->discovery;
  const DiscoveryBackend named = discovery_named(own.string_or_empty());
  // Grove overwrites the service's annotation.
  if (workload == Workload::kUnknown && component.in_graph &&
      named != component.profile->discovery) {
    return DiscoveryBackend::kUnknown;
  }
  return named;
}

Component completed(Component component) {
  component.pod_spec = component.service.value()["extraPodSpec"];
  component.main_spec = component.pod_spec["mainContainer"];
  component.from_checkpoint =
      component.service.value()["checkpoint"]["enabled"].boolean().value_or(false);
  component.workload = find_workload(component);
  component.discovery = find_discovery(component);
  return component;
}

Component completed_hub(Component component) {
  component.reads_hub = true;
  component.type_name = component.hub["type"].string_or_empty();
  component.type = component_type(component.type_name);
  const json::Value nodes = component.hub["multinode"];
  if (nodes.is_object() && nodes["nodeCount"].is_nothing()) component.node_count = 2;
  component.pod_spec = component.hub["podTemplate"]["spec"];
  for (const json::Value container : component.pod_spec["containers"].elements()) {
    if (container["name"].string_or_empty() != kMainContainerName) continue;
    component.main_spec = container;
    break;
  }
  component.workload = find_workload(component);
  component.discovery = find_later_discovery(component);
  return component;
}

// The hash that the operator stored, or a placeholder of its length.
std::string_view worker_hash_of(json::Value graph_annotations) {
  constexpr std::string_view kPlaceholder = "xxxxxxxx";
  constexpr std::string_view kBeforeHashes = "legacy";
  for (const std::string_view key : {annotation::kWorkerHash, annotation::kWorkerHashV2}) {
    const std::string_view stored = graph_annotations[key].string_or_empty();
    if (stored == kBeforeHashes) return {};
    if (!stored.empty()) return stored;
  }
  return kPlaceholder;
}

}  // namespace

ComponentType component_type(std::string_view name) {
  if (name == "frontend") return ComponentType::kFrontend;
  if (name == "worker") return ComponentType::kWorker;
  if (name == "prefill") return ComponentType::kPrefill;
  if (name == "decode") return ComponentType::kDecode;
  if (name == "planner") return ComponentType::kPlanner;
  if (name == "epp") return ComponentType::kEndpointPicker;
  return ComponentType::kGeneric;
}

json::Value find_hub_component(json::Value graph, std::string_view name) {
  for (const json::Value component : graph["spec"]["components"].elements()) {
    if (component["name"].string_or_empty() == name) return component;
  }
  return {};
}

Component component_of(const api::GraphDeployment& graph, std::string_view namespace_name,
                       std::string_view service_name, json::Value service, const Profile& profile,
                       json::Value hub) {
  const json::Value metadata = graph.value()["metadata"];
  const api::Service view{service};
  const std::string_view name = metadata["name"].string_or_empty();
  return completed({.profile = &profile,
                    .service = view,
                    .type = component_type(view.component_type()),
                    .type_name = view.component_type(),
                    .in_graph = true,
                    .namespace_name = namespace_name,
                    .object_name = name,
                    .graph_name = name,
                    .service_name = service_name,
                    .backend_framework = graph.backend_framework(),
                    .node_count = std::max<std::int64_t>(view.node_count(), 1),
                    .graph_envs = graph.spec()["envs"],
                    .object_labels = metadata["labels"],
                    .object_annotations = metadata["annotations"],
                    .hub = hub});
}

Component component_of(const api::ComponentDeployment& component, std::string_view namespace_name,
                       const Profile& profile, json::Value hub) {
  const json::Value metadata = component.value()["metadata"];
  const api::Service view = component.service();
  return completed({.profile = &profile,
                    .service = view,
                    .type = component_type(view.component_type()),
                    .type_name = view.component_type(),
                    .in_graph = false,
                    .namespace_name = namespace_name,
                    .object_name = metadata["name"].string_or_empty(),
                    .graph_name = owner_of_kind(metadata, "DynamoGraphDeployment"),
                    .service_name = view.value()["serviceName"].string_or_empty(),
                    .backend_framework = component.backend_framework(),
                    .node_count = std::max<std::int64_t>(view.node_count(), 1),
                    .graph_envs = {},
                    .object_labels = metadata["labels"],
                    .object_annotations = metadata["annotations"],
                    .hub = hub});
}

Component hub_component_of(const api::GraphDeployment& graph, std::string_view namespace_name,
                           json::Value component, json::Value alpha, const Profile& profile) {
  const json::Value metadata = graph.value()["metadata"];
  const api::Service view{component};
  const std::string_view name = metadata["name"].string_or_empty();
  Component made = completed_hub({.profile = &profile,
                                  .service = view,
                                  .in_graph = true,
                                  .namespace_name = namespace_name,
                                  .object_name = name,
                                  .graph_name = name,
                                  .service_name = component["name"].string_or_empty(),
                                  .backend_framework = graph.backend_framework(),
                                  .node_count = std::max<std::int64_t>(view.node_count(), 1),
                                  .graph_envs = graph.spec()["env"],
                                  .object_labels = metadata["labels"],
                                  .object_annotations = metadata["annotations"],
                                  .hub = component,
                                  .alpha = alpha,
                                  .graph_annotations = graph.spec()["annotations"]});
  made.transfer_policy = graph.spec()["experimental"]["kvTransferPolicy"];
  if (is_worker_like(made.type)) made.worker_hash = worker_hash_of(made.object_annotations);
  return made;
}

Component hub_component_of(const api::ComponentDeployment& component,
                           std::string_view namespace_name, json::Value alpha,
                           const Profile& profile) {
  const json::Value metadata = component.value()["metadata"];
  const api::Service view = component.service();
  const std::string_view name = metadata["name"].string_or_empty();
  const json::Value labels = metadata["labels"];
  std::string_view graph = owner_of_kind(metadata, "DynamoGraphDeployment");
  if (graph.empty()) graph = labels[label::kGraph].string_or_empty();
  const std::string_view given = component.spec()["name"].string_or_empty();
  return completed_hub({.profile = &profile,
                        .service = view,
                        .in_graph = false,
                        .namespace_name = namespace_name,
                        .object_name = name,
                        .graph_name = graph.empty() ? name : graph,
                        .service_name = given.empty() ? name : given,
                        .backend_framework = component.backend_framework(),
                        .node_count = std::max<std::int64_t>(view.node_count(), 1),
                        .graph_envs = {},
                        .object_labels = labels,
                        .object_annotations = metadata["annotations"],
                        .hub = component.spec(),
                        .alpha = alpha,
                        .worker_hash = labels[label::kWorkerHash].string_or_empty()});
}

bool is_grove_disabled(json::Value graph_annotations) {
  return are_equal_ignoring_case(graph_annotations[annotation::kEnableGrove].string_or_empty(),
                                 "false");
}

bool steals_traffic(const Component& component) {
  return !component.has_later_operator() &&
         component.annotation(annotation::kStealingDebugMode).string_or_empty() == "true";
}

std::span<const PodRole> roles_of(const Component& component) {
  // A multinode component without LeaderWorkerSets becomes a plain Deployment.
  if (!component.is_multinode() || workload_of(component) == Workload::kDeployment) return kSingle;
  return kSeveral;
}

api::Fact metrics_enabled(const Component& component) {
  const auto says_no = [](json::Value value) { return value.string_or_empty() == "false"; };
  const auto fact = [](bool enabled) { return enabled ? api::Fact::kYes : api::Fact::kNo; };
  json::Value own = component.annotation(annotation::kEnableMetrics);
  if (component.reads_hub) {
    own = through_grove(component) ? component.object_annotations[annotation::kEnableMetrics]
                                   : component.inherited_annotation(annotation::kEnableMetrics);
    return fact(!says_no(own));
  }
  if (!component.in_graph) return fact(!says_no(own));
  const json::Value of_graph = component.object_annotations[annotation::kEnableMetrics];
  if (!of_graph.is_nothing()) return fact(!says_no(of_graph));
  switch (workload_of(component)) {
    case Workload::kPodClique:
    case Workload::kPodCliqueScalingGroup:
      return api::Fact::kYes;
    case Workload::kDeployment:
    case Workload::kLeaderWorkerSet:
    case Workload::kNone:
      return fact(!says_no(own));
    case Workload::kUnknown:
      break;
  }
  return says_no(own) ? api::Fact::kUnknown : api::Fact::kYes;
}

bool has_hash_in_name(const Component& component) {
  return component.in_graph && !component.worker_hash.empty() && !through_grove(component);
}

Name dynamo_namespace(const Component& component) {
  if (component.service.is_in_global_dynamo_namespace()) return Name("dynamo");
  if (component.has_later_operator()) {
    return Name(component.namespace_name).with("-").hyphenated(component.graph_name);
  }
  return {component.namespace_name, "-", component.graph_name};
}

Name component_name(const Component& component) {
  if (!component.in_graph) return Name(component.object_name);
  const Name name = Name(component.graph_name).with("-").lowered(component.service_name);
  return has_hash_in_name(component) ? name.with("-").with(component.worker_hash) : name;
}

}  // namespace dynamo::render
