#include "conversion/replica_status.hpp"

#include "conversion/moves.hpp"
#include "conversion/types.hpp"

namespace dynamo::conversion {

namespace {

constexpr Move kReplicaMoves[] = {
    {"availableReplicas"}, {"componentKind"},     {"readyReplicas"},  {"replicas"},
    {"runtimeNamespace"},  {"scheduledReplicas"}, {"updatedReplicas"}};

std::string_view last_of(const Node* names) {
  return is_empty(names) ? std::string_view{} : text_of(names->content.children.last);
}

// Whether the list of names does not determine the name.
bool has_special_name(const Node* alpha) {
  return last_of(find(alpha, "componentNames")) != text_of(alpha, "componentName");
}

// The names as v1beta1 has them.
const Node* beta_names(Arena& arena, const Node* alpha) {
  const Node* const names = find(alpha, "componentNames");
  if (!is_empty(names)) return names;
  const Node* const name = find(alpha, "componentName");
  if (name == nullptr) return nullptr;
  Node* const list = arena.list();
  append(arena, list, name);
  return list;
}

}  // namespace

Node* convert_replica_status_to_beta(Arena& arena, const Node* alpha) {
  Node* const beta = arena.object(types::kBetaComponentReplicaStatus);
  apply_moves(arena, alpha, beta, kReplicaMoves, Version::kV1beta1);
  set(arena, beta, "componentNames", beta_names(arena, alpha));
  return beta;
}

Node* save_replica_status(Arena& arena, const Node* alpha) {
  if (!has_special_name(alpha)) return nullptr;
  Node* const save = arena.object(types::kAlphaServiceReplicaStatus);
  for (const std::string_view name : {"componentName", "componentNames"}) {
    set(arena, save, name, find(alpha, name));
  }
  return save;
}

Node* convert_replica_status_to_alpha(Arena& arena, const Node* beta, const Node* saved) {
  Node* const alpha = arena.object(types::kAlphaServiceReplicaStatus);
  apply_moves(arena, beta, alpha, kReplicaMoves, Version::kV1alpha1);
  const Node* const names = find(beta, "componentNames");
  set(arena, alpha, "componentNames", names);
  set_text(arena, alpha, "componentName", last_of(names));
  if (saved == nullptr || !has_special_name(saved)) return alpha;
  const bool lacks_names = is_empty(names) && is_empty(find(saved, "componentNames"));
  if (are_equal(names, beta_names(arena, saved)) || lacks_names) {
    for (const std::string_view name : {"componentName", "componentNames"}) {
      set(arena, alpha, name, find(saved, name));
    }
  }
  return alpha;
}

}  // namespace dynamo::conversion
