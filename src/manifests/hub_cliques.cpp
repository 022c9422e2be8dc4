#include <algorithm>
#include <array>
#include <cstdint>

#include "json/writer.hpp"
#include "manifests/builders.hpp"
#include "manifests/hub_builders.hpp"
#include "manifests/label_list.hpp"
#include "manifests/pod_object.hpp"
#include "render/component/experimental.hpp"
#include "render/component/names.hpp"
#include "render/document/well_known.hpp"
#include "render/object/write.hpp"
#include "render/pod/features.hpp"
#include "render/pod/launch.hpp"

namespace dynamo::render {
namespace {

// Whether a scaling group is rendered for the component.
bool has_group(const Component& component) {
  return component.is_multinode() || shares_between_pods(component) ||
         component.hub["experimental"]["grove"]["forceScalingGroup"].boolean().value_or(false);
}

// A clique of a component: of engines, or of the service that holds the GPUs of their node.
struct Clique {
  std::string_view name;
  PodRole role = PodRole::kMain;
  std::int64_t replicas = 1;
  std::int64_t node = -1;  // of engines that share GPUs between pods
  bool is_service = false;
};

std::int64_t replicas_of_role(const Component& component, PodRole role) {
  if (role == PodRole::kLeader) return 1;
  if (role == PodRole::kWorker) return component.node_count - 1;
  return has_group(component) ? 1 : component.hub["replicas"].integer().value_or(1);
}

// In the order of the PodCliqueSet.
std::vector<Clique> cliques_of(const Component& component, Arena& arena) {
  std::vector<Clique> cliques;
  if (!shares_between_pods(component)) {
    for (const PodRole role : roles_of(component)) {
      cliques.push_back({.name = clique_name(component, role).in(arena),
                         .role = role,
                         .replicas = replicas_of_role(component, role)});
    }
    return cliques;
  }
  const std::int64_t nodes = std::min(component.node_count, kMaxListedNodes);
  for (std::int64_t node = 0; node < nodes; ++node) {
    cliques.push_back({.name = memory_service_clique_name(component, node).in(arena),
                       .node = node,
                       .is_service = true});
    PodRole role = PodRole::kMain;
    if (component.is_multinode()) role = node == 0 ? PodRole::kLeader : PodRole::kWorker;
    cliques.push_back({.name = engine_clique_name(component, node).in(arena),
                       .role = role,
                       .replicas = engines_per_node(component),
                       .node = node});
  }
  return cliques;
}

// The characters of the length that Grove allows which the names of a component take.
std::size_t name_budget(const Component& component, Arena& arena) {
  std::size_t longest = 0;
  for (const Clique& clique : cliques_of(component, arena)) {
    longest = std::max(longest, clique.name.size());
  }
  return component.service_name.size() + (has_group(component) ? longest : 0);
}

// A constraint of the operator for a domain, which an override of Grove's own fields replaces.
void write_constraint(json::Writer& out, json::Value provider_override, json::Value domain,
                      std::string_view topology) {
  const json::Value raw = provider_override["value"]["topologyConstraint"];
  if (raw.exists()) {
    out.key("topologyConstraint").value(raw);
    return;
  }
  const std::string_view name = domain.string_or_empty();
  if (name.empty()) return;
  out.key("topologyConstraint").start_object();
  if (!topology.empty()) out.member("topologyName", topology);
  out.key("pack").start_object().member("requiredDomain", name).end_object().end_object();
}

// The topology that components refer to, if the deployment itself sets no domain.
std::string_view topology_of_components(json::Value graph_spec) {
  const json::Value constraint = graph_spec["topologyConstraint"];
  const bool is_packed = !constraint["packDomain"].string_or_empty().empty();
  return is_packed ? std::string_view{} : constraint["clusterTopologyName"].string_or_empty();
}

json::Value override_of_clique(const Component& component, PodRole role) {
  const json::Value nodes = component.hub["multinode"];
  if (role == PodRole::kLeader) return nodes["leader"]["providerOverride"];
  if (role == PodRole::kWorker) return nodes["worker"]["providerOverride"];
  return has_group(component) ? json::Value{} : component.hub["providerOverride"];
}

std::int64_t least_available(const Component& component) {
  return component.hub["minAvailable"].integer().value_or(1);
}

bool starts_last(const Component& component, PodRole role) {
  return role == PodRole::kLeader && backend_of(component).framework == Framework::kTrtllm;
}

std::vector<Label> labels_of_clique(const HubComponent& of, const Clique& clique, const Pod& pod,
                                    Arena& arena) {
  std::vector<Label> labels = hub_clique_labels(of, arena);
  if (clique.is_service) {
    std::erase_if(labels, [](const Label& each) {
      return each.key == label::kDiscoveryBackend || each.key == label::kDiscoveryEnabled;
    });
  } else if (failover_of(of.component) == EngineSharing::kBetweenPods) {
    set_label(labels, {.key = label::kEngineGroupMember, .value = "true"});
  }
  if (pod.scheduler == kKaiScheduler && of.component.profile->kai_scheduler == api::Fact::kYes) {
    set_label(labels, {.key = label::kQueue, .value = queue_of(of.component.object_annotations)});
  }
  return labels;
}

// The cliques that must be ready first.
std::vector<std::string_view> cliques_before(const Component& component, const Clique& clique,
                                             Arena& arena) {
  std::vector<std::string_view> before;
  if (clique.is_service) return before;
  if (clique.node >= 0) {
    before.push_back(memory_service_clique_name(component, clique.node).in(arena));
  }
  if (!starts_last(component, clique.role)) return before;
  for (const Clique& other : cliques_of(component, arena)) {
    if (other.role == PodRole::kWorker) before.push_back(other.name);
  }
  return before;
}

std::int64_t least_available_of(const Component& component, const Clique& clique) {
  const bool has_shadows = failover_of(component) == EngineSharing::kBetweenPods;
  if (component.is_multinode() && !has_shadows) return clique.replicas;
  return has_group(component) ? 1 : least_available(component);
}

void write_hub_clique(json::Writer& out, const HubComponent& of, const Clique& clique,
                      const RenderEnvironment& environment, Arena& arena) {
  Component component = of.component;
  component.fixed_rank = clique.node;
  const Pod pod = clique.is_service ? render_memory_service_pod(component, arena)
                                    : render_pod(component, clique.role, arena);
  out.start_object().member("name", clique.name).key("labels");
  write_labels(out, labels_of_clique(of, clique, pod, arena));
  out.key("annotations");
  write_labels(out, hub_clique_annotations(of, environment));
  const json::Value domain =
      has_group(component) ? json::Value{} : component.hub["topologyConstraint"]["packDomain"];
  write_constraint(out, override_of_clique(component, clique.role), domain,
                   topology_of_components(of.graph_spec));
  out.key("spec").start_object().member("roleName", clique.name);
  const bool is_gated = of.is_gated && !clique.is_service;
  out.key("replicas").integer(is_gated ? 0 : clique.replicas);
  out.key("minAvailable").integer(least_available_of(component, clique));
  out.key("podSpec");
  write_desired_pod_spec(out, component, pod, {}, environment, arena);
  const std::vector<std::string_view> before = cliques_before(component, clique, arena);
  if (!before.empty()) {
    out.key("startsAfter").start_array();
    for (const std::string_view name : before) out.string(name);
    out.end_array();
  }
  out.end_object().end_object();
}

// The template of the claim on the GPUs of one node, which its pods share.
std::string_view node_claim_name(const Component& component, std::int64_t node, Arena& arena) {
  std::string name = clique_name(component, PodRole::kMain).str();
  std::ranges::replace(name, '.', '-');
  return Name(arena.join({name})).with("-gpu-rank-").numbered(node).in(arena);
}

void write_sharing(json::Writer& out, const Component& component, Arena& arena) {
  out.key("resourceSharing").start_array();
  for (std::int64_t node = 0; node < component.node_count; ++node) {
    out.start_object().member("name", node_claim_name(component, node, arena));
    out.member("scope", "PerReplica").key("filter").start_object();
    out.key("childCliqueNames").start_array();
    out.string(memory_service_clique_name(component, node).in(arena));
    out.string(engine_clique_name(component, node).in(arena));
    out.end_array().end_object().end_object();
  }
  out.end_array();
}

void write_hub_group(json::Writer& out, const HubComponent& of, Arena& arena) {
  const Component& component = of.component;
  out.start_object().member("name", clique_name(component, PodRole::kMain).in(arena));
  out.key("cliqueNames").start_array();
  for (const Clique& clique : cliques_of(component, arena)) out.string(clique.name);
  out.end_array().key("minAvailable").integer(least_available(component));
  const auto replicas = component.hub["replicas"].integer();
  if (replicas || of.is_gated) out.key("replicas").integer(of.is_gated ? 0 : *replicas);
  if (shares_between_pods(component)) write_sharing(out, component, arena);
  write_constraint(out, component.hub["providerOverride"],
                   component.hub["topologyConstraint"]["packDomain"],
                   topology_of_components(of.graph_spec));
  out.end_object();
}

void write_node_claims(json::Writer& out, std::span<const HubComponent> components, Arena& arena) {
  const auto shares = [](const HubComponent& each) { return shares_between_pods(each.component); };
  if (std::ranges::none_of(components, shares)) return;
  out.key("resourceClaimTemplates").start_array();
  for (const HubComponent& each : components) {
    if (!shares(each)) continue;
    for (std::int64_t node = 0; node < each.component.node_count; ++node) {
      out.start_object().member("name", node_claim_name(each.component, node, arena));
      out.key("templateSpec");
      write_gpu_claim(out, each.component, "gpu");
      out.end_object();
    }
  }
  out.end_array();
}

void write_hub_template(json::Writer& out, std::span<const HubComponent> components,
                        json::Value graph_spec, const RenderEnvironment& environment,
                        Arena& arena) {
  const bool is_ordered = std::ranges::any_of(components, [](const HubComponent& each) {
    return shares_between_pods(each.component) ||
           (each.component.is_multinode() && starts_last(each.component, PodRole::kLeader));
  });
  start_clique_set_template(out, is_ordered, environment);
  const std::string_view priority = graph_spec["priorityClassName"].string_or_empty();
  if (!priority.empty()) out.member("priorityClassName", priority);
  const json::Value constraint = graph_spec["topologyConstraint"];
  write_constraint(out, graph_spec["providerOverride"], constraint["packDomain"],
                   constraint["clusterTopologyName"].string_or_empty());
  out.key("cliques").start_array();
  for (const HubComponent& each : components) {
    for (const Clique& clique : cliques_of(each.component, arena)) {
      write_hub_clique(out, each, clique, environment, arena);
    }
  }
  out.end_array();
  const auto renders_group = [](const HubComponent& each) { return has_group(each.component); };
  if (std::ranges::any_of(components, renders_group)) {
    out.key("podCliqueScalingGroups").start_array();
    for (const HubComponent& each : components) {
      if (renders_group(each)) write_hub_group(out, each, arena);
    }
    out.end_array();
  }
  write_node_claims(out, components, arena);
  out.end_object();
}

}  // namespace

std::string hub_clique_set_name(std::string_view graph, std::span<const HubComponent> components) {
  constexpr std::size_t kShortest = 8;
  std::size_t budget = 0;
  Arena arena;
  for (const HubComponent& each : components) {
    budget = std::max(budget, name_budget(each.component, arena));
  }
  const std::size_t most =
      std::max(kShortest, kLongestGroveName - std::min(kLongestGroveName, budget));
  return shortened_name(graph, most);
}

DesiredObject build_hub_clique_set(std::span<const HubComponent> components,
                                   const api::GraphDeployment& graph, const OwnerMetadata& owner,
                                   const RenderEnvironment& environment, Arena& arena) {
  const json::Value graph_spec = graph.spec();
  std::vector<Label> labels;
  std::vector<Label> annotations;
  for (const auto [key, value] : graph_spec["labels"].members()) {
    set_label(labels, {.key = key, .value = value.string_or_empty()});
  }
  set_label(labels, {.key = label::kGraph, .value = owner.name});
  for (const auto [key, value] : graph_spec["annotations"].members()) {
    set_label(annotations, {.key = key, .value = value.string_or_empty()});
  }
  std::string spec = "\"spec\":";
  json::Writer out(spec);
  out.start_object().key("replicas").integer(1);
  const std::string_view strategy =
      graph.metadata().annotations()[annotation::kUpdateStrategy].string_or_empty();
  if (!strategy.empty()) {
    out.key("updateStrategy").start_object().member("type", strategy).end_object();
  }
  out.key("template");
  write_hub_template(out, components, graph_spec, environment, arena);
  out.end_object();
  const std::string name = hub_clique_set_name(owner.name, components);
  return make_desired_object({.api_version = kGroveApiVersion,
                              .kind = kPodCliqueSetKind,
                              .name = name,
                              .namespace_name = components.front().component.namespace_name,
                              .labels = labels,
                              .annotations = annotations,
                              .owner = owner},
                             spec);
}

}  // namespace dynamo::render
