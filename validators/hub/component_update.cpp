// Rules of later operators for updates of one component that existed before.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/operator_account.hpp"
#include "validators/content/amount.hpp"
#include "validators/hub/provider_override.hpp"
#include "validators/hub/view.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::hub::component_update {

using api::ErrorType;
using api::FieldPath;

namespace {

constexpr std::string_view kGpu = "nvidia.com/gpu";

void component_override(const ComponentView& view, Report& report) {
  require_same_override(view.old["providerOverride"], view.spec["providerOverride"],
                        view.path.child("providerOverride"), report);
}

void node_class(const ComponentView& view, Report& report) {
  if (is_multinode(view.spec) == is_multinode(view.old)) return;
  report.add(ErrorType::kInvalid, view.path.child("multinode"),
             "must not change between one node and several; was " +
                 std::to_string(node_count(view.old)) + ", found " +
                 std::to_string(node_count(view.spec)) + "; delete the object and create it again");
}

void role_override(const ComponentView& view, Report& report) {
  const FieldPath multinode = view.path.child("multinode");
  for (const std::string_view role : {"leader", "worker"}) {
    const FieldPath path = multinode.child(role);
    require_same_override(view.old["multinode"][role]["providerOverride"],
                          view.spec["multinode"][role]["providerOverride"],
                          path.child("providerOverride"), report);
  }
}

void replicas(const ComponentView& view, Report& report) {
  const std::int64_t now = view.spec["replicas"].integer().value_or(1);
  const std::int64_t old = view.old["replicas"].integer().value_or(1);
  const bool has_adapter = !view.spec["scalingAdapter"].is_nothing();
  const bool had_adapter = !view.old["scalingAdapter"].is_nothing();
  if (now == old || (!has_adapter && !had_adapter)) return;
  if (api::can_scale(view.object.context())) return;
  std::string advice = "scale the DynamoGraphDeploymentScalingAdapter of this component";
  if (has_adapter != had_adapter) {
    advice = "change replicas and scalingAdapter in two updates";
  }
  report.add(ErrorType::kForbidden, view.path.child("replicas"),
             "must not change while the component has a scalingAdapter; was " +
                 std::to_string(old) + ", found " + std::to_string(now) + "; " + advice);
}

bool is_same_constraint(json::Value old, json::Value now) {
  if (old.is_nothing() || now.is_nothing()) return old.is_nothing() == now.is_nothing();
  return old["packDomain"].string_or_empty() == now["packDomain"].string_or_empty();
}

// A count below 1 means 1.
std::int64_t shadows(json::Value failover) {
  return std::max<std::int64_t>(failover["numShadows"].integer().value_or(1), 1);
}

bool is_group_forced(json::Value component) {
  return is_true(component["experimental"]["grove"]["forceScalingGroup"]);
}

void layout(const ComponentView& view, Report& report) {
  constexpr std::string_view kFixed = "; restore it, or create the object again";
  if (!is_same_constraint(view.old["topologyConstraint"], view.spec["topologyConstraint"])) {
    report.add(ErrorType::kInvalid, view.path.child("topologyConstraint"),
               "must not be added, removed or changed after creation" + std::string(kFixed));
  }
  const FieldPath experimental = view.path.child("experimental");
  const json::Value now = failover_of(view.spec);
  const json::Value old = failover_of(view.old);
  if (is_inter_pod(gpu_memory_of(view.spec)) != is_inter_pod(gpu_memory_of(view.old))) {
    const FieldPath service = experimental.child("gpuMemoryService");
    report.add(ErrorType::kInvalid, service.child("mode"),
               "must not switch to or from InterPod after creation" + std::string(kFixed));
  }
  const FieldPath failover = experimental.child("failover");
  if (is_inter_pod(now) != is_inter_pod(old)) {
    report.add(ErrorType::kInvalid, failover,
               "must not switch to or from InterPod after creation" + std::string(kFixed));
  } else if (is_inter_pod(now) && shadows(now) != shadows(old)) {
    report.add(ErrorType::kInvalid, failover.child("numShadows"),
               "must not change for mode InterPod; was " + std::to_string(shadows(old)) +
                   ", found " + std::to_string(shadows(now)) + std::string(kFixed));
  }
  if (is_group_forced(view.spec) != is_group_forced(view.old)) {
    const FieldPath grove = experimental.child("grove");
    report.add(ErrorType::kInvalid, grove.child("forceScalingGroup"),
               "must not be switched after creation" + std::string(kFixed));
  }
}

// GPUs of the main container under their usual name: limits, otherwise requests.
json::Value gpus(json::Value component) {
  const json::Value resources = main_container(component).value["resources"];
  const json::Value limit = resources["limits"][kGpu];
  return limit.is_nothing() ? resources["requests"][kGpu] : limit;
}

bool is_same_amount(json::Value left, json::Value right) {
  const auto amount = amount_of(left);
  const auto other = amount_of(right);
  return amount && other ? *amount == *other : are_same(left, right);
}

void add_changed_gpus(const ComponentView& view, Report& report) {
  constexpr std::string_view kDetail =
      "must not change while the component has a power limit; remove the annotation "
      "dynamo.nvidia.com/gpu-power-limit by creating the graph again";
  const FieldPath pod = view.path.child("podTemplate");
  const FieldPath spec = pod.child("spec");
  const FieldPath containers = spec.child("containers");
  const IndexedValue main = main_container(view.spec);
  if (!main.value.exists()) {
    return report.add(ErrorType::kInvalid, containers, std::string(kDetail));
  }
  const FieldPath container = containers.index(main.index);
  const FieldPath resources = container.child("resources");
  for (const std::string_view amounts : {"limits", "requests"}) {
    if (main.value["resources"][amounts][kGpu].is_nothing()) continue;
    const FieldPath path = resources.child(amounts);
    return report.add(ErrorType::kInvalid, path.key(kGpu), std::string(kDetail));
  }
  report.add(ErrorType::kInvalid, resources, std::string(kDetail));
}

void power_limit_fixed(const ComponentView& view, Report& report) {
  const json::Value old = power_limit(view.old);
  if (!are_same(old, power_limit(view.spec))) {
    const FieldPath pod = view.path.child("podTemplate");
    const FieldPath metadata = pod.child("metadata");
    const FieldPath annotations = metadata.child("annotations");
    report.add(ErrorType::kInvalid, annotations.key(kPowerLimitAnnotation),
               "must not be added, removed or changed after creation; restore it, or create the "
               "graph again");
  }
  if (old.is_nothing()) return;
  if (!is_same_amount(gpus(view.old), gpus(view.spec))) add_changed_gpus(view, report);
  if (node_count(view.old) == node_count(view.spec)) return;
  const FieldPath multinode = view.path.child("multinode");
  report.add(ErrorType::kInvalid, multinode.child("nodeCount"),
             "must not change while the component has a power limit; was " +
                 std::to_string(node_count(view.old)) + ", found " +
                 std::to_string(node_count(view.spec)));
}

}  // namespace

extern constexpr Rule kComponentOverrideRule{
    .id = "hub.component.override-fixed",
    .kinds = kinds::kServices,
    .operations = kOnUpdate,
    .ratchet = Ratchet::kNo,
    .function = &component_override,
    .field = "H.providerOverride",
};

extern constexpr Rule kNodeClassRule{
    .id = "hub.component.node-class",
    .kinds = kinds::kServices,
    .operations = kOnUpdate,
    .ratchet = Ratchet::kNo,
    .function = &node_class,
    .field = "H.multinode",
};

extern constexpr Rule kRoleOverrideRule{
    .id = "hub.role.override-fixed",
    .kinds = kinds::kServices,
    .operations = kOnUpdate,
    .ratchet = Ratchet::kNo,
    .function = &role_override,
    .field = "H.multinode.leader.providerOverride, H.multinode.worker.providerOverride",
};

extern constexpr Rule kReplicasRule{
    .id = "hub.component.replicas",
    .kinds = kinds::kGraphs,
    .operations = kOnUpdate,
    .ratchet = Ratchet::kNo,
    .function = &replicas,
    .field = "H.replicas",
};

extern constexpr Rule kLayoutRule{
    .id = "hub.component.layout-fixed",
    .kinds = kinds::kServices,
    .operations = kOnUpdate,
    .ratchet = Ratchet::kNo,
    .function = &layout,
    .field = "H.topologyConstraint, H.experimental",
};

extern constexpr Rule kPowerLimitFixedRule{
    .id = "hub.power-limit.fixed",
    .kinds = kinds::kGraphs,
    .operations = kOnUpdate,
    .ratchet = Ratchet::kNo,
    .function = &power_limit_fixed,
    .field = "H.podTemplate.metadata.annotations[dynamo.nvidia.com/gpu-power-limit]",
};

}  // namespace dynamo::validators::hub::component_update
