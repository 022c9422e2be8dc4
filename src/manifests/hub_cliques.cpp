#include <algorithm>
#include <array>
#include <cstdint>

#include "json/writer.hpp"
#include "manifests/builders.hpp"
#include "manifests/hub_builders.hpp"
#include "manifests/label_list.hpp"
#include "manifests/pod_object.hpp"
#include "render/component/names.hpp"
#include "render/document/well_known.hpp"
#include "render/object/write.hpp"

namespace dynamo::render {
namespace {

// Whether a scaling group is rendered for the component.
bool has_group(const Component& component) {
  return component.is_multinode() ||
         component.hub["experimental"]["grove"]["forceScalingGroup"].boolean().value_or(false);
}

// The characters of the length that Grove allows which the names of a component take.
std::size_t name_budget(const Component& component) {
  std::size_t longest = 0;
  for (const PodRole role : roles_of(component)) {
    longest = std::max(longest, clique_name(component, role).size());
  }
  return component.service_name.size() + (has_group(component) ? longest : 0);
}

std::uint32_t fnv_1a(std::string_view text) {
  std::uint32_t hash = 0x811C9DC5U;
  for (const char letter : text) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x01000193U;
  }
  return hash;
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

std::int64_t replicas_of_clique(const Component& component, PodRole role) {
  if (role == PodRole::kLeader) return 1;
  if (role == PodRole::kWorker) return component.node_count - 1;
  return has_group(component) ? 1 : component.hub["replicas"].integer().value_or(1);
}

std::int64_t least_available(const Component& component) {
  return component.hub["minAvailable"].integer().value_or(1);
}

bool starts_last(const Component& component, PodRole role) {
  return role == PodRole::kLeader && backend_of(component).framework == Framework::kTrtllm;
}

std::vector<Label> labels_of_clique(const HubComponent& of, const Pod& pod, Arena& arena) {
  std::vector<Label> labels = hub_clique_labels(of, arena);
  if (pod.scheduler == kKaiScheduler && of.component.profile->kai_scheduler == api::Fact::kYes) {
    set_label(labels, {.key = label::kQueue, .value = queue_of(of.component.object_annotations)});
  }
  return labels;
}

void write_hub_clique(json::Writer& out, const HubComponent& of, PodRole role,
                      const RenderEnvironment& environment, Arena& arena) {
  const Component& component = of.component;
  const std::string_view name = clique_name(component, role).in(arena);
  const Pod pod = render_pod(component, role, arena);
  const std::int64_t replicas = replicas_of_clique(component, role);
  out.start_object().member("name", name).key("labels");
  write_labels(out, labels_of_clique(of, pod, arena));
  out.key("annotations");
  write_labels(out, hub_clique_annotations(of, environment));
  const bool is_standalone = !has_group(component);
  const json::Value domain =
      is_standalone ? component.hub["topologyConstraint"]["packDomain"] : json::Value{};
  write_constraint(out, override_of_clique(component, role), domain,
                   topology_of_components(of.graph_spec));
  out.key("spec").start_object().member("roleName", name).key("replicas").integer(replicas);
  out.key("minAvailable");
  if (component.is_multinode()) {
    out.integer(replicas);
  } else {
    out.integer(is_standalone ? least_available(component) : 1);
  }
  out.key("podSpec");
  write_desired_pod_spec(out, component, pod, {}, environment, arena);
  if (starts_last(component, role)) {
    out.key("startsAfter").start_array();
    out.string(clique_name(component, PodRole::kWorker).in(arena)).end_array();
  }
  out.end_object().end_object();
}

void write_hub_group(json::Writer& out, const HubComponent& of, Arena& arena) {
  const Component& component = of.component;
  out.start_object().member("name", clique_name(component, PodRole::kMain).in(arena));
  out.key("cliqueNames").start_array();
  for (const PodRole role : roles_of(component)) {
    out.string(clique_name(component, role).in(arena));
  }
  out.end_array().key("minAvailable").integer(least_available(component));
  if (const auto replicas = component.hub["replicas"].integer()) {
    out.key("replicas").integer(*replicas);
  }
  write_constraint(out, component.hub["providerOverride"],
                   component.hub["topologyConstraint"]["packDomain"],
                   topology_of_components(of.graph_spec));
  out.end_object();
}

void write_hub_template(json::Writer& out, std::span<const HubComponent> components,
                        json::Value graph_spec, const RenderEnvironment& environment,
                        Arena& arena) {
  const bool is_ordered = std::ranges::any_of(components, [](const HubComponent& each) {
    return each.component.is_multinode() && starts_last(each.component, PodRole::kLeader);
  });
  out.start_object().member("cliqueStartupType",
                            is_ordered ? "CliqueStartupTypeExplicit" : "CliqueStartupTypeAnyOrder");
  out.key("headlessServiceConfig").start_object();
  out.key("publishNotReadyAddresses").boolean(true).end_object();
  if (environment.grove_termination_delay.count() > 0) {
    out.member("terminationDelay", go_duration(environment.grove_termination_delay));
  }
  const std::string_view priority = graph_spec["priorityClassName"].string_or_empty();
  if (!priority.empty()) out.member("priorityClassName", priority);
  const json::Value constraint = graph_spec["topologyConstraint"];
  write_constraint(out, graph_spec["providerOverride"], constraint["packDomain"],
                   constraint["clusterTopologyName"].string_or_empty());
  out.key("cliques").start_array();
  for (const HubComponent& each : components) {
    for (const PodRole role : roles_of(each.component)) {
      write_hub_clique(out, each, role, environment, arena);
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
  out.end_object();
}

}  // namespace

std::string hub_clique_set_name(std::string_view graph, std::span<const HubComponent> components) {
  constexpr std::size_t kShortest = 8;
  constexpr std::size_t kSuffix = 5;
  std::size_t budget = 0;
  for (const HubComponent& each : components) {
    budget = std::max(budget, name_budget(each.component));
  }
  const std::size_t most =
      std::max(kShortest, kLongestGroveName - std::min(kLongestGroveName, budget));
  std::string name(graph);
  if (name.size() <= most) return name;
  name.resize(most - kSuffix);
  name += '-';
  constexpr std::string_view kDigits = "0123456789abcdef";
  const std::uint32_t hash = fnv_1a(graph);
  for (const unsigned shift : {12U, 8U, 4U, 0U}) name += kDigits[(hash >> shift) & 0xFU];
  return name;
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
