// Rules of later operators for the fields of a DynamoGraphDeployment outside of its components.
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/kinds/objects.hpp"
#include "text/names.hpp"
#include "validators/content/semver.hpp"
#include "validators/hub/provider_override.hpp"
#include "validators/hub/view.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::hub::graph {

using api::ErrorType;
using api::FieldPath;

namespace {

constexpr FieldPath kSpec{"spec"};
constexpr FieldPath kMetadata{"metadata"};
constexpr FieldPath kAnnotations = kMetadata.child("annotations");
constexpr FieldPath kTopology = kSpec.child("topologyConstraint");
constexpr std::string_view kUpdateStrategyAnnotation = "nvidia.com/grove-update-strategy";

struct AnnotationValues {
  std::string_view key;
  std::array<std::string_view, 2> values;
};
// Compared byte by byte.
constexpr AnnotationValues kClosedAnnotations[] = {
    {kUpdateStrategyAnnotation, {"RollingRecreate", "OnDelete"}},
    {kDiscoveryModeAnnotation, {"pod", "container"}},
    {kProviderAnnotation, {"component", "grove"}},
};

void check_discovery_mode(const ObjectView& object, Report& report) {
  const json::Value mode = object.annotation(kDiscoveryModeAnnotation);
  if (mode.string_or_empty() == "container") return;
  for (const json::Value component : object.components().elements()) {
    const json::Value failover = failover_of(component);
    if (failover.is_nothing() || is_inter_pod(failover)) continue;
    report.add(
        ErrorType::kInvalid, kAnnotations.key(kDiscoveryModeAnnotation),
        "must be container, because component " + quoted(component["name"].string_or_empty()) +
            " fails over within a pod; found " + quoted_or(mode.string_or_empty(), "nothing"));
    return;
  }
}

void annotations(const ObjectView& object, Report& report) {
  const json::Value version = object.annotation(api::kOriginVersionAnnotation);
  if (!version.is_nothing() && !is_lenient_semver(version.string_or_empty())) {
    report.add(
        ErrorType::kInvalid, kAnnotations.key(api::kOriginVersionAnnotation),
        "must be a semantic version such as 1.5.0; found " + quoted(version.string_or_empty()));
  }
  const json::Value executor = object.annotation(kExecutorAnnotation);
  if (!executor.is_nothing() && !is_executor_backend(executor.string_or_empty())) {
    report.add(ErrorType::kInvalid, kAnnotations.key(kExecutorAnnotation),
               "must be mp or ray; found " + quoted(executor.string_or_empty()));
  }
  for (const AnnotationValues& closed : kClosedAnnotations) {
    const json::Value value = object.annotation(closed.key);
    if (value.is_nothing()) continue;
    if (std::ranges::find(closed.values, value.string_or_empty()) != closed.values.end()) continue;
    report.add(ErrorType::kNotSupported, kAnnotations.key(closed.key),
               "must be " + std::string(closed.values[0]) + " or " + std::string(closed.values[1]) +
                   "; found " + quoted(value.string_or_empty()));
  }
  check_discovery_mode(object, report);
}

void provider_override(const ObjectView& object, Report& report) {
  check_override(object, OverrideScope::kGraph, {}, object.spec()["providerOverride"],
                 kSpec.child("providerOverride"), report);
}

void priority_class(const ObjectView& object, Report& report) {
  if (object.spec()["priorityClassName"].string_or_empty().empty()) return;
  require_grove(object, kSpec.child("priorityClassName"), report);
}

void components_required(const ObjectView& object, Report& report) {
  if (object.components().size() > 0) return;
  report.add(ErrorType::kRequired, kSpec.child("components"), "must name at least one component");
}

// The names of the components, sorted.
std::vector<std::string_view> component_names(json::Value components) {
  std::vector<std::string_view> names;
  for (const json::Value component : components.elements()) {
    names.push_back(component["name"].string_or_empty());
  }
  std::ranges::sort(names);
  return names;
}

void restart_order(const ObjectView& object, Report& report) {
  const json::Value strategy = object.spec()["restart"]["strategy"];
  const json::Value order = strategy["order"];
  if (order.size() == 0) return;
  const FieldPath restart = kSpec.child("restart");
  const FieldPath of_strategy = restart.child("strategy");
  const FieldPath path = of_strategy.child("order");
  if (strategy["type"].string_or_empty() == "Parallel") {
    return report.add(ErrorType::kForbidden, path,
                      "must be empty for type Parallel, which restarts all components at once; "
                      "remove it, or use type Sequential");
  }
  std::vector<std::string_view> ordered;
  ordered.reserve(order.size());
  for (const json::Value name : order.elements()) ordered.push_back(name.string_or_empty());
  std::ranges::sort(ordered);
  const auto repeated = std::ranges::unique(ordered);
  if (!repeated.empty()) {
    report.add(ErrorType::kInvalid, path,
               "must name each component once; remove the repeated names");
  }
  ordered.erase(repeated.begin(), repeated.end());
  if (ordered.size() != object.components().size()) {
    report.add(ErrorType::kInvalid, path,
               "must name all " + std::to_string(object.components().size()) +
                   " components; found " + std::to_string(ordered.size()) + " different names");
  }
  const std::vector<std::string_view> names = component_names(object.components());
  std::size_t index = 0;
  for (const json::Value name : order.elements()) {
    const std::size_t at = index++;
    if (std::ranges::binary_search(names, name.string_or_empty())) continue;
    report.add(ErrorType::kNotSupported, path.index(at), [&] {
      return "must be the name of a component of this graph; found " +
             quoted(name.string_or_empty());
    });
  }
}

void refuse_if_topology(OverrideScope scope, json::Value component, json::Value provider_override,
                        const FieldPath& path, Report& report) {
  if (provider_override.is_nothing() || !writes_topology(scope, component, provider_override))
    return;
  report.add(ErrorType::kForbidden, path.child("value"),
             "must not set a topology constraint while a topologyConstraint of the graph or of a "
             "component does; keep one of the two");
}

void check_topology_overrides(const ObjectView& object, Report& report) {
  refuse_if_topology(OverrideScope::kGraph, {}, object.spec()["providerOverride"],
                     kSpec.child("providerOverride"), report);
  const FieldPath components = kSpec.child("components");
  std::size_t index = 0;
  for (const json::Value component : object.components().elements()) {
    const FieldPath path = components.index(index++);
    refuse_if_topology(OverrideScope::kComponent, component, component["providerOverride"],
                       path.child("providerOverride"), report);
    const FieldPath multinode = path.child("multinode");
    for (const std::string_view role : {"leader", "worker"}) {
      const FieldPath of_role = multinode.child(role);
      refuse_if_topology(OverrideScope::kRole, component,
                         component["multinode"][role]["providerOverride"],
                         of_role.child("providerOverride"), report);
    }
  }
}

void topology(const ObjectView& object, Report& report) {
  const json::Value of_graph = object.spec()["topologyConstraint"];
  bool has_component = false;
  for (const json::Value component : object.components().elements()) {
    has_component = has_component || !component["topologyConstraint"].is_nothing();
  }
  if (of_graph.is_nothing() && !has_component) return;
  if (object.has_grove_provider()) check_topology_overrides(object, report);
  if (of_graph.is_nothing()) {
    report.add(ErrorType::kRequired, kTopology,
               "must be set if a component has a topologyConstraint; name the "
               "clusterTopologyName here");
  } else if (!has_component && of_graph["packDomain"].string_or_empty().empty()) {
    report.add(ErrorType::kRequired, kTopology.child("packDomain"),
               "must be set unless a component has a topologyConstraint; name a level of the "
               "topology, such as rack");
  }
}

void kv_transfer(const ObjectView& object, Report& report) {
  const json::Value name = object.spec()["experimental"]["kvTransferPolicy"]["clusterTopologyName"];
  if (name.is_nothing()) return;
  const FieldPath experimental = kSpec.child("experimental");
  const FieldPath policy = experimental.child("kvTransferPolicy");
  const FieldPath path = policy.child("clusterTopologyName");
  if (!text::is_dns_subdomain(name.string_or_empty())) {
    report.add(ErrorType::kInvalid, path,
               "must be the name of a ClusterTopologyBinding: lower case letters, digits, '-' and "
               "'.'; found " +
                   quoted(name.string_or_empty()));
  }
  require_grove(object, path, report);
}

}  // namespace

extern constexpr Rule kAnnotationsRule{
    .id = "hub.graph.annotations",
    .kinds = kinds::kGraphs,
    .ratchet = Ratchet::kNo,
    .function = &annotations,
    .field = "metadata.annotations",
};

extern constexpr Rule kProviderOverrideRule{
    .id = "hub.graph.provider-override",
    .kinds = kinds::kGraphs,
    .ratchet = Ratchet::kNo,
    .function = &provider_override,
    .field = "spec.providerOverride",
};

extern constexpr Rule kPriorityClassRule{
    .id = "hub.graph.priority-class",
    .kinds = kinds::kGraphs,
    .ratchet = Ratchet::kNo,
    .function = &priority_class,
    .field = "spec.priorityClassName",
};

extern constexpr Rule kComponentsRequiredRule{
    .id = "hub.graph.components",
    .kinds = kinds::kGraphs,
    .ratchet = Ratchet::kNo,
    .function = &components_required,
    .field = "spec.components",
};

extern constexpr Rule kRestartOrderRule{
    .id = "hub.restart.order",
    .kinds = kinds::kGraphs,
    .ratchet = Ratchet::kNo,
    .function = &restart_order,
    .field = "spec.restart.strategy.order",
};

extern constexpr Rule kTopologyRule{
    .id = "hub.topology.constraint",
    .kinds = kinds::kGraphs,
    .ratchet = Ratchet::kNo,
    .function = &topology,
    .field = "spec.topologyConstraint",
};

extern constexpr Rule kKvTransferRule{
    .id = "hub.kv-transfer.topology",
    .kinds = kinds::kGraphs,
    .ratchet = Ratchet::kNo,
    .function = &kv_transfer,
    .field = "spec.experimental.kvTransferPolicy.clusterTopologyName",
};

}  // namespace dynamo::validators::hub::graph
