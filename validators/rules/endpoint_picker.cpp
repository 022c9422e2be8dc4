// Rules for a service of component type `epp`, the endpoint picker of an inference gateway.
#include <string>

#include "validators/rule.hpp"

namespace dynamo::validators::endpoint_picker {

using api::Context;
using api::ErrorType;

namespace {

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

}  // namespace

extern constexpr Rule kInferencePoolAvailableRule{
    .id = "epp.inference-pool.available",
    .kinds = kinds::kGraphs,
    .ratchet = Ratchet::kNo,
    .function = &inference_pool_available,
    .field = "P",
};

extern constexpr Rule kConfigRequiredRule{
    .id = "epp.config.required",
    .kinds = kinds::kServices,
    .ratchet = Ratchet::kNo,
    .function = &config_required,
    .field = "P.eppConfig",
};

extern constexpr Rule kConfigSourceRule{
    .id = "epp.config.source",
    .kinds = kinds::kServices,
    .ratchet = Ratchet::kNo,
    .function = &config_source,
    .field = "P.eppConfig",
};

extern constexpr Rule kConfigReferenceNameRule{
    .id = "epp.config.ref-name",
    .kinds = kinds::kServices,
    .ratchet = Ratchet::kNo,
    .function = &config_reference_name,
    .field = "P.eppConfig.configMapRef.name",
};

extern constexpr Rule kSingleNodeRule{
    .id = "epp.single-node",
    .kinds = kinds::kServices,
    .ratchet = Ratchet::kNo,
    .function = &single_node,
    .field = "P.multinode",
};

extern constexpr Rule kSingleReplicaRule{
    .id = "epp.single-replica",
    .kinds = kinds::kServices,
    .ratchet = Ratchet::kNo,
    .function = &single_replica,
    .field = "P.replicas",
};

}  // namespace dynamo::validators::endpoint_picker
