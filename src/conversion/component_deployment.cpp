// DynamoComponentDeployment: one component, whose name may be that of the object.
#include "conversion/component.hpp"
#include "conversion/kinds.hpp"
#include "conversion/moves.hpp"
#include "conversion/replica_status.hpp"
#include "conversion/types.hpp"

namespace dynamo::conversion {

namespace {

constexpr Move kDeploymentSpecMoves[] = {{"backendFramework"}};
constexpr Move kDeploymentStatusMoves[] = {{"conditions"}, {"observedGeneration"}};

void convert_deployment_status_to_beta(ObjectConversion& object) {
  Arena& arena = object.arena;
  const Node* const alpha = find(object.source, "status");
  Node* const beta = arena.object(types::kBetaComponentDeploymentStatus);
  Node* const save = arena.object(types::kAlphaComponentDeploymentStatus);
  apply_moves(arena, alpha, beta, kDeploymentStatusMoves, Version::kV1beta1);
  const Node* const service = find(alpha, "service");
  if (service != nullptr) {
    set(arena, beta, "component", convert_replica_status_to_beta(arena, service));
    set(arena, save, "service", save_replica_status(arena, service));
  }
  const Node* const selector = find(alpha, "podSelector");
  if (!is_empty(selector)) set(arena, save, "podSelector", selector);
  set_part(arena, object.target, "status", beta);
  if (!is_zero(save)) object.target_status = write_status_payload(object.arena, save);
}

std::optional<std::string> convert_deployment_status_to_alpha(ObjectConversion& object) {
  Arena& arena = object.arena;
  StatusPayload saved;
  if (object.source_status) {
    saved = object.payloads.read_status(arena, *object.source_status,
                                        types::kAlphaComponentDeploymentStatus);
  }
  if (saved.error) return "annotation nvidia.com/dcd-status: " + *saved.error;
  const Node* const beta = find(object.source, "status");
  Node* const alpha = arena.object(types::kAlphaComponentDeploymentStatus);
  apply_moves(arena, beta, alpha, kDeploymentStatusMoves, Version::kV1alpha1);
  const Node* const component = find(beta, "component");
  if (component != nullptr) {
    set(arena, alpha, "service",
        convert_replica_status_to_alpha(arena, component, find(saved.status, "service")));
  }
  set(arena, alpha, "podSelector", find(saved.status, "podSelector"));
  set_part(arena, object.target, "status", alpha);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> convert_component_deployment_to_beta(ObjectConversion& object) {
  Arena& arena = object.arena;
  const Node* hub = nullptr;
  if (object.source_spec) {
    hub = object.payloads.read_spec(arena, *object.source_spec, types::kBetaComponentDeploymentSpec)
              .spec;
  }
  const Node* const alpha = find(object.source, "spec");
  Node* const beta = arena.object(types::kBetaComponentDeploymentSpec);
  apply_moves(arena, alpha, beta, kDeploymentSpecMoves, Version::kV1beta1);
  const std::string_view service = text_of(alpha, "serviceName");
  std::string_view name = service.empty() ? object.name() : service;
  if (hub != nullptr && text_of(hub, "name").empty() && name == object.name()) name = {};
  set_text(arena, beta, "name", name);
  convert_component_to_beta(arena, alpha, hub, beta);
  set_part(arena, object.target, "spec", beta);

  Node* const save = arena.object(types::kAlphaComponentDeploymentSpec);
  save_alpha_component(arena, alpha, hub == nullptr, save);
  const bool marks_name = service.empty() && !object.name().empty() && name == object.name();
  const bool marks_origin = hub == nullptr && find(beta, "podTemplate") != nullptr;
  if (!is_zero(save) || marks_name || marks_origin) {
    object.target_spec = write_spec_payload(object.arena, save, marks_name);
  }
  convert_deployment_status_to_beta(object);
  return std::nullopt;
}

std::optional<std::string> convert_component_deployment_to_alpha(ObjectConversion& object) {
  Arena& arena = object.arena;
  SpecPayload saved;
  if (object.source_spec) {
    saved =
        object.payloads.read_spec(arena, *object.source_spec, types::kAlphaComponentDeploymentSpec);
  }
  const Node* const beta = find(object.source, "spec");
  Node* const alpha = arena.object(types::kAlphaComponentDeploymentSpec);
  apply_moves(arena, beta, alpha, kDeploymentSpecMoves, Version::kV1alpha1);
  convert_component_to_alpha(arena, beta, saved.spec, alpha);
  const std::string_view name = text_of(beta, "name");
  const bool had_no_name = saved.has_empty_service_name && name == object.name();
  if (!had_no_name) set_text(arena, alpha, "serviceName", name);
  set_part(arena, object.target, "spec", alpha);

  Node* const save = arena.object(types::kBetaComponentDeploymentSpec);
  save_beta_component(arena, beta, alpha, save);
  const bool lacks_name = name.empty() && !object.name().empty();
  const bool marks_origin = !object.has_source_payload() && find(beta, "podTemplate") != nullptr;
  if (!is_zero(save) || lacks_name || marks_origin) {
    set(arena, save, "name", find(beta, "name"));
    object.target_spec = write_spec_payload(object.arena, save, false);
  }
  return convert_deployment_status_to_alpha(object);
}

}  // namespace dynamo::conversion
