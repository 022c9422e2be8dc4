// Rules for a service: one entry of a DynamoGraphDeployment's spec.services, or the spec of a
// DynamoComponentDeployment.
#include <string>

#include "api/operator_account.hpp"
#include "schema/quantity.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::service {

using api::Context;
using api::ErrorType;

namespace {

void autoscaling_deprecated(const Context&, const ServiceView& now, const ServiceView*,
                            Report& report) {
  if (!now.has_autoscaling()) return;
  report.add(ErrorType::kForbidden, now.path.child("autoscaling"),
             "is deprecated and ignored; remove it and enable scalingAdapter instead");
}

void dynamo_namespace_deprecated(const Context& context, const ServiceView& now, const ServiceView*,
                                 Report& report) {
  if (now.dynamo_namespace().empty()) return;
  const bool part_of_graph = context.kind == api::Kind::kGraphDeployment ||
                             now.object.metadata().is_owned_by("DynamoGraphDeployment");
  if (!part_of_graph) return;  // a standalone component needs the field
  std::string effective;
  if (now.is_in_global_dynamo_namespace()) {
    effective = ", \"dynamo\" is used";
  } else if (!context.object_name.empty()) {  // with generateName the name is not known yet
    effective =
        ", " +
        quoted(std::string(context.namespace_name) + "-" + std::string(context.object_name)) +
        " is used";
  }
  report.add(ErrorType::kForbidden, now.path.child("dynamoNamespace"),
             "is deprecated and ignored" + effective + "; remove it");
}

void ingress_host(const Context&, const ServiceView& now, const ServiceView*, Report& report) {
  if (!now.is_ingress_enabled() || !now.ingress_host().empty()) return;
  report.add(ErrorType::kRequired, now.path.child("ingress").child("host"),
             "must be set when ingress.enabled is true; set a host name or disable the ingress");
}

void node_class(const Context&, const ServiceView& now, const ServiceView* old, Report& report) {
  if (old == nullptr || now.is_multinode() == old->is_multinode()) return;
  if (now.is_node_count_unreadable()) return;  // a type error; the value is unknown
  report.add(ErrorType::kForbidden, now.path.child("multinode"),
             "must not change between one node and several; was " +
                 std::to_string(old->node_count()) + ", found " + std::to_string(now.node_count()) +
                 "; delete the object and create it again");
}

void replicas_non_negative(const Context&, const ServiceView& now, const ServiceView*,
                           Report& report) {
  const auto replicas = now.replicas();
  if (!replicas || *replicas >= 0) return;
  report.add(ErrorType::kInvalid, now.path.child("replicas"),
             "must be 0 or more; found " + std::to_string(*replicas));
}

// An update that also switches the adapter gets advice for two separate updates.
std::string why_scaled_elsewhere(const ServiceView& now, const ServiceView& old) {
  const std::string before = std::to_string(old.effective_replicas());
  const std::string found = std::to_string(now.effective_replicas());
  const std::string change = "; was " + before + ", found " + found + "; ";
  if (!now.is_scaling_adapter_enabled()) {
    return "must not change in the update that switches scalingAdapter off" + change +
           "switch it off with replicas: " + before + " first, then set replicas: " + found +
           " in a second update";
  }
  if (!old.is_scaling_adapter_enabled()) {
    return "must not change in the update that switches scalingAdapter on" + change +
           "set replicas: " + found + " first, then switch it on in a second update";
  }
  return "must not change while scalingAdapter is enabled" + change +
         "scale the DynamoGraphDeploymentScalingAdapter of this service";
}

void replicas_scaled_elsewhere(const Context& context, const ServiceView& now,
                               const ServiceView* old, Report& report) {
  if (old == nullptr || now.effective_replicas() == old->effective_replicas()) return;
  // The old object counts as well. Otherwise one request could disable the adapter and scale.
  if (!now.is_scaling_adapter_enabled() && !old->is_scaling_adapter_enabled()) return;
  if (can_scale(context)) return;
  report.add(ErrorType::kForbidden, now.path.child("replicas"), why_scaled_elsewhere(now, *old));
}

void shared_memory_size(const Context&, const ServiceView& now, const ServiceView*,
                        Report& report) {
  if (!now.has_shared_memory() || now.is_shared_memory_disabled()) return;
  if (!schema::is_missing_quantity(now.shared_memory_size())) return;
  report.add(ErrorType::kRequired, now.path.child("sharedMemory").child("size"),
             "must be set and not zero unless sharedMemory.disabled is true; "
             "set a size such as 16Gi");
}

void mount_point(const Context&, const ServiceView& now, const ServiceView*, Report& report) {
  std::size_t index = 0;
  for (const json::Value mount : now.volume_mounts().elements()) {
    const std::size_t at = index++;
    if (!mount.is_object() || !mount["mountPoint"].string_or_empty().empty()) continue;
    if (mount["useAsCompilationCache"].boolean().value_or(false)) continue;
    report.add(ErrorType::kRequired, now.path.child("volumeMounts").index(at).child("mountPoint"),
               "must be set unless useAsCompilationCache is true; set an absolute path");
  }
}

}  // namespace

extern constexpr Rule kAutoscalingDeprecatedRule{
    .id = "service.autoscaling.deprecated",
    .kinds = kinds::kServices,
    .severity = Severity::kWarn,
    .ratchet = Ratchet::kNo,
    .function = &autoscaling_deprecated,
    .field = "P.autoscaling",
};

extern constexpr Rule kDynamoNamespaceDeprecatedRule{
    .id = "service.dynamo-namespace.deprecated",
    .kinds = kinds::kServices,
    .severity = Severity::kWarn,
    .ratchet = Ratchet::kNo,
    .function = &dynamo_namespace_deprecated,
    .field = "P.dynamoNamespace",
};

extern constexpr Rule kIngressHostRule{
    .id = "service.ingress.host",
    .kinds = kinds::kServices,
    .ratchet = Ratchet::kNo,
    .function = &ingress_host,
    .field = "P.ingress.host",
};

extern constexpr Rule kNodeClassRule{
    .id = "dgd.topology.node-class",
    .kinds = kinds::kGraphs,
    .operations = kOnUpdate,
    .ratchet = Ratchet::kNo,
    .function = &node_class,
    .field = "P.multinode",
};

extern constexpr Rule kDcdTopologyNodeClassRule{
    .id = "dcd.topology.node-class",
    .kinds = kinds::kComponents,
    .operations = kOnUpdate,
    .function = &node_class,
    .field = "P.multinode",
};

extern constexpr Rule kReplicasNonNegativeRule{
    .id = "service.replicas.non-negative",
    .kinds = kinds::kServices,
    .ratchet = Ratchet::kNo,
    .function = &replicas_non_negative,
    .field = "P.replicas",
};

extern constexpr Rule kReplicasScaledElsewhereRule{
    .id = "dgd.replicas.scaled-elsewhere",
    .kinds = kinds::kGraphs,
    .operations = kOnUpdate,
    .ratchet = Ratchet::kNo,
    .function = &replicas_scaled_elsewhere,
    .field = "P.replicas",
};

extern constexpr Rule kSharedMemorySizeRule{
    .id = "service.shared-memory.size",
    .kinds = kinds::kServices,
    .ratchet = Ratchet::kNo,
    .function = &shared_memory_size,
    .field = "P.sharedMemory.size",
};

extern constexpr Rule kMountPointRule{
    .id = "service.mount.point",
    .kinds = kinds::kServices,
    .ratchet = Ratchet::kNo,
    .function = &mount_point,
    .field = "P.volumeMounts[i].mountPoint",
};

}  // namespace dynamo::validators::service
