// DynamoGraphDeploymentRequest: v1alpha1 has free JSON where v1beta1 has typed fields.
#include "conversion/kinds.hpp"
#include "conversion/moves.hpp"
#include "conversion/request_parts.hpp"
#include "conversion/types.hpp"

namespace dynamo::conversion {

namespace {

constexpr Move kRequestSpecMoves[] = {{"backend"}, {"model"}, {"runtimeVersionOverride"}};
// Members of `profilingConfig` that only v1alpha1 has.
constexpr std::string_view kConfigExtras[] = {"configMapRef", "outputPVC"};
// Members of `workload` and `sla` that only v1beta1 has.
constexpr std::string_view kWorkloadExtras[] = {"concurrency", "requestRate"};
constexpr std::string_view kSlaExtras[] = {"e2eLatency"};

bool has_disabled_mocker(const Node* beta) {
  const Node* const mocker = find(beta, "features", "mocker");
  return mocker != nullptr && !is_true(find(mocker, "enabled"));
}

void copy_present(Arena& arena, const Node* from, Node* to,
                  std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    if (find(from, name) != nullptr) set(arena, to, name, find(from, name));
  }
}

void set_image(Arena& arena, const Node* alpha, Node* beta) {
  const Node* const image = find(alpha, "profilingConfig", "profilerImage");
  set(arena, beta, "image",
      image != nullptr ? image : find(alpha, "deploymentOverrides", "workersImage"));
}

Node* save_alpha_spec(Arena& arena, const Node* alpha) {
  Node* const save = arena.object(types::kAlphaGraphDeploymentRequestSpec);
  const Node* const overrides = find(alpha, "deploymentOverrides");
  if (!is_zero(overrides)) set(arena, save, "deploymentOverrides", overrides);
  set(arena, save, "enableGpuDiscovery", find(alpha, "enableGpuDiscovery"));
  const Node* const config = find(alpha, "profilingConfig");
  Node* const saved_config = arena.object(types::kAlphaProfilingConfigSpec);
  copy_present(arena, config, saved_config, kConfigExtras);
  set(arena, saved_config, "config", config_remainder(arena, find(config, "config")));
  if (!is_empty(saved_config)) set(arena, save, "profilingConfig", saved_config);
  return save;
}

// Adds the members of an object that only v1beta1 has. The object returns even if it is empty.
void restore_object(Arena& arena, const Node* hub, Node* beta, std::string_view name,
                    std::span<const std::string_view> extras) {
  const Node* const saved = find(hub, name);
  if (saved == nullptr) return;
  copy_present(arena, saved, member_to_change(arena, beta, name), extras);
}

void restore_overrides(Arena& arena, const Node* hub, Node* beta) {
  const Node* const saved = find(hub, "overrides");
  if (saved == nullptr) return;
  Node* const overrides = member_to_change(arena, beta, "overrides");
  set(arena, overrides, "dgd", find(saved, "dgd"));
  set(arena, overrides, "profilingJob",
      merge_profiling_job(arena, find(overrides, "profilingJob"), find(saved, "profilingJob")));
  if (is_zero(overrides)) remove(beta, "overrides");
}

void restore_beta_spec(Arena& arena, const Node* hub, Node* beta) {
  if (find(hub, "hardware") != nullptr) set(arena, beta, "hardware", find(hub, "hardware"));
  if (find(hub, "searchStrategy") != nullptr) {
    set(arena, beta, "searchStrategy", find(hub, "searchStrategy"));
  }
  restore_object(arena, hub, beta, "workload", kWorkloadExtras);
  restore_object(arena, hub, beta, "sla", kSlaExtras);
  if (has_disabled_mocker(hub) && find(beta, "features", "mocker") == nullptr) {
    set(arena, member_to_change(arena, beta, "features"), "mocker",
        arena.object(types::kBetaMockerSpec));
  }
  restore_overrides(arena, hub, beta);
}

// Saves the members of an object that only v1beta1 has.
void save_object(Arena& arena, const Node* beta, Node* save, std::string_view name,
                 std::span<const std::string_view> extras) {
  for (const std::string_view extra : extras) {
    if (find(beta, name, extra) == nullptr) continue;
    copy_present(arena, find(beta, name), member_to_change(arena, save, name), extras);
    return;
  }
}

Node* save_beta_spec(Arena& arena, const Node* beta) {
  Node* const save = arena.object(types::kBetaGraphDeploymentRequestSpec);
  set(arena, save, "hardware", find(beta, "hardware"));
  set(arena, save, "searchStrategy", find(beta, "searchStrategy"));
  save_object(arena, beta, save, "workload", kWorkloadExtras);
  save_object(arena, beta, save, "sla", kSlaExtras);
  if (has_disabled_mocker(beta)) {
    set(arena, member_to_change(arena, save, "features"), "mocker",
        find(beta, "features", "mocker"));
  }
  Node* const overrides = arena.object(types::kBetaOverridesSpec);
  set(arena, overrides, "dgd", find(beta, "overrides", "dgd"));
  set(arena, overrides, "profilingJob",
      profiling_job_remainder(arena, find(beta, "overrides", "profilingJob")));
  if (!is_empty(overrides)) set(arena, save, "overrides", overrides);
  return save;
}

}  // namespace

std::optional<std::string> convert_request_to_beta(ObjectConversion& object) {
  Arena& arena = object.arena;
  const Node* hub = nullptr;
  if (object.source_spec) {
    hub = object.payloads
              .read_spec(arena, *object.source_spec, types::kBetaGraphDeploymentRequestSpec)
              .spec;
  }
  const Node* const alpha = find(object.source, "spec");
  const Node* const config = find(alpha, "profilingConfig", "config");
  if (config != nullptr && !is_json_object(config)) {
    return "spec.profilingConfig.config (ProfilingConfig.Config) must be a JSON object";
  }
  Node* const beta = arena.object(types::kBetaGraphDeploymentRequestSpec);
  apply_moves(arena, alpha, beta, kRequestSpecMoves, Version::kV1beta1);
  set(arena, beta, "autoApply", arena.boolean(is_true(find(alpha, "autoApply"))));
  set_image(arena, alpha, beta);
  if (is_true(find(alpha, "useMocker"))) {
    Node* const mocker = arena.object(types::kBetaMockerSpec);
    set(arena, mocker, "enabled", arena.boolean(true));
    set(arena, member_to_change(arena, beta, "features"), "mocker", mocker);
  }
  if (config != nullptr) project_config(arena, config, beta);
  const Node* const job = build_profiling_job(arena, find(alpha, "profilingConfig"));
  if (job != nullptr) {
    set(arena, member_to_change(arena, beta, "overrides"), "profilingJob", job);
  }
  if (hub != nullptr) restore_beta_spec(arena, hub, beta);
  set_part(arena, object.target, "spec", beta);
  const Node* const save = save_alpha_spec(arena, alpha);
  if (!is_zero(save)) object.target_spec = write_spec_payload(object.arena, save, false);
  convert_request_status_to_beta(object);
  return std::nullopt;
}

std::optional<std::string> convert_request_to_alpha(ObjectConversion& object) {
  Arena& arena = object.arena;
  const Node* saved = nullptr;
  if (object.source_spec) {
    saved = object.payloads
                .read_spec(arena, *object.source_spec, types::kAlphaGraphDeploymentRequestSpec)
                .spec;
  }
  const Node* const beta = find(object.source, "spec");
  Node* const alpha = arena.object(types::kAlphaGraphDeploymentRequestSpec);
  apply_moves(arena, beta, alpha, kRequestSpecMoves, Version::kV1alpha1);
  const Node* const auto_apply = find(beta, "autoApply");
  if (auto_apply == nullptr || is_true(auto_apply)) {
    set(arena, alpha, "autoApply", arena.boolean(true));
  }
  if (is_true(find(find(beta, "features", "mocker"), "enabled"))) {
    set(arena, alpha, "useMocker", arena.boolean(true));
  }
  for (const std::string_view name : {"deploymentOverrides", "enableGpuDiscovery"}) {
    set(arena, alpha, name, find(saved, name));
  }
  const Node* const saved_config = find(saved, "profilingConfig");
  Node* const config = arena.object(types::kAlphaProfilingConfigSpec);
  set(arena, config, "profilerImage", find(beta, "image"));
  copy_present(arena, saved_config, config, kConfigExtras);
  set(arena, config, "config", build_config(arena, beta, find(saved_config, "config")));
  split_profiling_job(arena, find(beta, "overrides", "profilingJob"), config);
  if (!is_zero(config)) set(arena, alpha, "profilingConfig", config);
  set_part(arena, object.target, "spec", alpha);
  const Node* const save = save_beta_spec(arena, beta);
  if (!is_zero(save)) object.target_spec = write_spec_payload(object.arena, save, false);
  convert_request_status_to_alpha(object);
  return std::nullopt;
}

}  // namespace dynamo::conversion
