#include <algorithm>
#include <array>

#include "conversion/moves.hpp"
#include "conversion/request_parts.hpp"
#include "conversion/types.hpp"

namespace dynamo::conversion {

namespace {

constexpr Move kRequestStatusMoves[] = {{"conditions"}, {"observedGeneration"}};

// States of v1alpha1 that v1beta1 has as phases.
constexpr std::array<std::string_view, 5> kSharedStates = {"Pending", "Profiling", "Ready",
                                                           "Deploying", "Failed"};

bool is_hub_state(std::string_view state) {
  return state.empty() || std::ranges::find(kSharedStates, state) != kSharedStates.end();
}

std::string_view phase_of(std::string_view state, const Node* deployment) {
  if (state == "DeploymentDeleted") return "Ready";
  if (state == "Ready" && is_true(find(deployment, "created"))) return "Deployed";
  return state.empty() || !is_hub_state(state) ? "Pending" : state;
}

std::string_view state_of(std::string_view phase) {
  if (phase == "Deployed") return "Ready";
  return phase.empty() || !is_hub_state(phase) ? "Pending" : phase;
}

bool matches_phase(std::string_view state, const Node* deployment, std::string_view phase) {
  return phase_of(state, deployment) == phase || (phase == "Deployed" && state == "Ready");
}

// A status payload of this kind that cannot be read counts as absent.
const Node* read_saved_status(ObjectConversion& object, const Type& type) {
  if (!object.source_status) return nullptr;
  return object.payloads.read_status(object.arena, *object.source_status, type).status;
}

const Node* save_alpha_status(Arena& arena, const Node* alpha) {
  Node* const save = arena.object(types::kAlphaGraphDeploymentRequestStatus);
  for (const std::string_view name : {"backend", "profilingResults"}) {
    set(arena, save, name, find(alpha, name));
  }
  const Node* const state = find(alpha, "state");
  const Node* const deployment = find(alpha, "deployment");
  const bool is_special_state = !is_hub_state(text_of(state));
  const bool is_special_deployment =
      deployment != nullptr && (is_zero(deployment) || find(deployment, "namespace") != nullptr ||
                                find(deployment, "state") != nullptr ||
                                find(deployment, "created") != nullptr || is_special_state);
  if (is_special_state || is_special_deployment) set(arena, save, "state", state);
  if (is_special_deployment) set(arena, save, "deployment", deployment);
  return save;
}

void restore_beta_status(Arena& arena, const Node* hub, std::string_view state, Node* beta) {
  const std::string_view phase = text_of(beta, "phase");
  const bool is_same_graph = text_of(hub, "dgdName") == text_of(beta, "dgdName");
  if (phase == "Profiling") {
    for (const std::string_view name : {"profilingPhase", "profilingJobName"}) {
      if (find(hub, name) != nullptr) set(arena, beta, name, find(hub, name));
    }
  }
  const Node* const pareto = find(hub, "profilingResults", "pareto");
  if (!is_empty(pareto)) {
    set(arena, member_to_change(arena, beta, "profilingResults"), "pareto", pareto);
  }
  if (!is_same_graph) return;
  if (find(hub, "deploymentInfo") != nullptr) {
    set(arena, beta, "deploymentInfo", find(hub, "deploymentInfo"));
  }
  if (phase == "Ready" && text_of(hub, "phase") == "Deployed" && state == "Ready") {
    set(arena, beta, "phase", arena.string("Deployed"));
  }
}

const Node* save_beta_status(Arena& arena, const Node* beta, const Node* alpha) {
  Node* const save = arena.object(types::kBetaGraphDeploymentRequestStatus);
  const std::string_view phase = text_of(beta, "phase");
  if (phase == "Deployed" &&
      phase_of(text_of(alpha, "state"), find(alpha, "deployment")) != phase) {
    set(arena, save, "phase", find(beta, "phase"));
    set(arena, save, "dgdName", find(beta, "dgdName"));
  }
  if (phase == "Profiling") {
    for (const std::string_view name : {"profilingPhase", "profilingJobName"}) {
      set(arena, save, name, find(beta, name));
    }
  }
  const Node* const pareto = find(beta, "profilingResults", "pareto");
  if (!is_empty(pareto)) {
    set(arena, member_to_change(arena, save, "profilingResults"), "pareto", pareto);
  }
  const Node* const info = find(beta, "deploymentInfo");
  if (info != nullptr) {
    set(arena, save, "deploymentInfo", info);
    set(arena, save, "dgdName", find(beta, "dgdName"));
  }
  return save;
}

void restore_alpha_status(Arena& arena, const Node* saved, const Node* beta, Node* alpha) {
  for (const std::string_view name : {"backend", "profilingResults"}) {
    set(arena, alpha, name, find(saved, name));
  }
  const std::string_view state = text_of(saved, "state");
  const std::string_view graph = text_of(beta, "dgdName");
  const Node* const deployment = find(saved, "deployment");
  const bool is_same_graph = text_of(deployment, "name") == graph;
  const bool is_same_phase = matches_phase(state, deployment, text_of(beta, "phase"));
  if (!state.empty() && is_same_phase && (state != "DeploymentDeleted" || is_same_graph)) {
    set(arena, alpha, "state", find(saved, "state"));
  }
  if (deployment != nullptr && is_same_graph && (state.empty() || is_same_phase)) {
    set(arena, alpha, "deployment", deployment);
  }
}

}  // namespace

void convert_request_status_to_beta(ObjectConversion& object) {
  Arena& arena = object.arena;
  const Node* const alpha = find(object.source, "status");
  Node* const beta = arena.object(types::kBetaGraphDeploymentRequestStatus);
  apply_moves(arena, alpha, beta, kRequestStatusMoves, Version::kV1beta1);
  const Node* const deployment = find(alpha, "deployment");
  set(arena, beta, "phase", arena.string(phase_of(text_of(alpha, "state"), deployment)));
  set(arena, beta, "dgdName", find(deployment, "name"));
  const Node* const generated = find(alpha, "generatedDeployment");
  if (generated != nullptr) {
    set(arena, member_to_change(arena, beta, "profilingResults"), "selectedConfig", generated);
  }
  const Node* const hub = read_saved_status(object, types::kBetaGraphDeploymentRequestStatus);
  if (hub != nullptr) restore_beta_status(arena, hub, text_of(alpha, "state"), beta);
  set_part(arena, object.target, "status", beta);
  const Node* const save = save_alpha_status(arena, alpha);
  if (!is_zero(save)) object.target_status = write_status_payload(object.arena, save);
}

void convert_request_status_to_alpha(ObjectConversion& object) {
  Arena& arena = object.arena;
  const Node* const beta = find(object.source, "status");
  Node* const alpha = arena.object(types::kAlphaGraphDeploymentRequestStatus);
  apply_moves(arena, beta, alpha, kRequestStatusMoves, Version::kV1alpha1);
  set(arena, alpha, "state", arena.string(state_of(text_of(beta, "phase"))));
  const Node* const graph = find(beta, "dgdName");
  if (graph != nullptr) {
    Node* const deployment = arena.object(types::kAlphaDeploymentStatus);
    set(arena, deployment, "name", graph);
    set(arena, alpha, "deployment", deployment);
  }
  set(arena, alpha, "generatedDeployment", find(beta, "profilingResults", "selectedConfig"));
  const Node* const saved = read_saved_status(object, types::kAlphaGraphDeploymentRequestStatus);
  if (saved != nullptr) restore_alpha_status(arena, saved, beta, alpha);
  set_part(arena, object.target, "status", alpha);
  const Node* const save = save_beta_status(arena, beta, alpha);
  if (!is_zero(save)) object.target_status = write_status_payload(object.arena, save);
}

}  // namespace dynamo::conversion
