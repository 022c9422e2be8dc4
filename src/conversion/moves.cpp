#include "conversion/moves.hpp"

namespace dynamo::conversion {

void apply_moves(Arena& arena, const Node* from, Node* to, std::span<const Move> moves,
                 Version target) {
  for (const Move& move : moves) {
    const bool to_beta = target == Version::kV1beta1;
    const Node* const value = find(from, to_beta ? move.alpha : move.beta);
    if (value == nullptr) continue;
    const std::string_view name = to_beta ? move.beta : move.alpha;
    if (!move.members.empty()) {
      const Field* const field = to->type->find(name);
      Node* const object = arena.object(*field->type);
      apply_moves(arena, value, object, move.members, target);
      set(arena, to, name, object);
    } else if (value->kind == NodeKind::kObject || !value->is_container() || !is_empty(value)) {
      set(arena, to, name, value);
    }
  }
}

}  // namespace dynamo::conversion
