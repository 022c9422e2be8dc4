#include "manifests/graph_objects.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "manifests/builders.hpp"
#include "render/component/claims.hpp"
#include "render/component/names.hpp"
#include "render/document/well_known.hpp"

namespace dynamo::render {

DesiredObjects bound_account(const BoundAccount& account, std::string_view namespace_name) {
  if (account.cluster_role.empty()) {
    return {.refused =
                RenderRefusal{"spec", "needs an operator whose flag " + std::string(account.flag) +
                                          " names a ClusterRole"}};
  }
  DesiredObjects objects;
  objects.items.push_back(build_service_account(account.name, namespace_name, std::nullopt));
  const std::string binding = std::string(account.name) + "-binding";
  objects.items.push_back(build_role_binding({.name = binding,
                                              .account = account.name,
                                              .role_kind = "ClusterRole",
                                              .role = account.cluster_role},
                                             namespace_name, std::nullopt));
  return objects;
}

DesiredObjects account_objects(std::string_view namespace_name, bool has_picker,
                               const RenderEnvironment& environment) {
  if (environment.namespace_restricted) return {};
  DesiredObjects objects = bound_account({.name = kPlannerServiceAccount,
                                          .cluster_role = environment.planner_cluster_role,
                                          .flag = "planner-cluster-role-name"},
                                         namespace_name);
  if (objects.refused || !has_picker) return objects;
  DesiredObjects more = bound_account({.name = kEndpointPickerServiceAccount,
                                       .cluster_role = environment.endpoint_picker_cluster_role,
                                       .flag = "epp-cluster-role-name"},
                                      namespace_name);
  for (DesiredObject& each : more.items) objects.items.push_back(std::move(each));
  objects.refused = std::move(more.refused);
  return objects;
}

DesiredObjects claim_objects(const api::GraphDeployment& graph, std::string_view namespace_name,
                             const OwnerMetadata& owner) {
  DesiredObjects objects;
  Arena arena;
  for (const Claim& claim : graph_claims(graph, arena)) {
    if (!claim.created) continue;
    objects.refused = refusal_of(claim);
    if (objects.refused) break;
    const auto found = std::ranges::find(objects.items, claim.name, &DesiredObject::name);
    if (found == objects.items.end()) {
      objects.items.push_back(build_claim(claim, namespace_name, owner));
    }
  }
  return objects;
}

DesiredObjects discovery_objects(std::string_view graph, std::string_view namespace_name,
                                 const OwnerMetadata& owner) {
  const std::string account = discovery_account_name(graph).str();
  const std::string role = discovery_role_name(graph).str();
  const std::string binding = discovery_binding_name(graph).str();
  DesiredObjects objects;
  objects.items.push_back(build_service_account(account, namespace_name, owner));
  objects.items.push_back(build_discovery_role(graph, namespace_name, owner));
  objects.items.push_back(
      build_role_binding({.name = binding, .account = account, .role_kind = "Role", .role = role},
                         namespace_name, owner));
  return objects;
}

DesiredObjects picker_objects(const Component& picker, const api::FieldPath& path,
                              const OwnerMetadata& owner) {
  const json::Value config = picker.service.endpoint_picker_config();
  const bool has_own = !config["configMapRef"].is_nothing();
  if (!has_own && !config["config"].is_object()) {
    return {.refused = RenderRefusal{path.child("eppConfig").render(),
                                     "must give a configMapRef or a config"}};
  }
  Arena arena;
  DesiredObjects objects;
  if (!has_own) objects.items.push_back(build_picker_config(picker, owner));
  objects.items.push_back(build_inference_pool(picker, owner, arena));
  return objects;
}

}  // namespace dynamo::render
