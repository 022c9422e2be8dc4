#include "validators/rules/service.hpp"

#include <string>

#include "api/operator_account.hpp"
#include "schema/quantity.hpp"

namespace dynamo::validators::service {

using api::ErrorType;

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

namespace {

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

}  // namespace

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

}  // namespace dynamo::validators::service

namespace dynamo::validators::endpoint_picker {

using api::ErrorType;

void inference_pool_available(const Context& context, const ServiceView& now, const ServiceView*,
                              Report& report) {
  if (!now.is_endpoint_picker()) return;
  switch (context.facts.inference_pool_served) {
    case api::Fact::kYes:
      return;
    case api::Fact::kNo:
      report.add(ErrorType::kForbidden, now.path,
                 "componentType epp needs the API group inference.networking.k8s.io, which this "
                 "cluster does not serve; install the Gateway API Inference Extension");
      return;
    case api::Fact::kUnknown:
      report.also_warn(now.path,
                       "needs the API group inference.networking.k8s.io; not checked here");
      return;
  }
}

void config_required(const Context&, const ServiceView& now, const ServiceView*, Report& report) {
  if (!now.is_endpoint_picker() || !now.endpoint_picker_config().is_nothing()) return;
  report.add(ErrorType::kRequired, now.path.child("eppConfig"),
             "must be set for componentType epp; give a configMapRef or a config");
}

void config_source(const Context&, const ServiceView& now, const ServiceView*, Report& report) {
  const json::Value config = now.endpoint_picker_config();
  if (!now.is_endpoint_picker() || !config.is_object()) return;
  const bool reference = !config["configMapRef"].is_nothing();
  const bool inlined = !config["config"].is_nothing();
  if (reference != inlined) return;
  report.add(reference ? ErrorType::kForbidden : ErrorType::kRequired, now.path.child("eppConfig"),
             std::string("must have exactly one of configMapRef and config; found ") +
                 (reference ? "both; remove one" : "neither; give one"));
}

void config_reference_name(const Context&, const ServiceView& now, const ServiceView*,
                           Report& report) {
  const json::Value reference = now.endpoint_picker_config()["configMapRef"];
  if (!now.is_endpoint_picker() || reference.is_nothing()) return;
  if (!reference["name"].string_or_empty().empty()) return;
  report.add(ErrorType::kRequired, now.path.child("eppConfig").child("configMapRef").child("name"),
             "must be the name of a ConfigMap in the same namespace");
}

void single_node(const Context&, const ServiceView& now, const ServiceView*, Report& report) {
  if (!now.is_endpoint_picker() || !now.is_multinode()) return;
  report.add(ErrorType::kForbidden, now.path.child("multinode"),
             "must not span nodes for componentType epp; found nodeCount " +
                 std::to_string(now.node_count()) + "; remove it");
}

void single_replica(const Context&, const ServiceView& now, const ServiceView*, Report& report) {
  const auto replicas = now.replicas();
  if (!now.is_endpoint_picker() || !replicas || *replicas == 1) return;
  report.add(ErrorType::kInvalid, now.path.child("replicas"),
             "must be 1 for componentType epp; found " + std::to_string(*replicas));
}

}  // namespace dynamo::validators::endpoint_picker
