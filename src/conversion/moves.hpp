// Tables of fields that both versions have. One table describes both directions.
#pragma once

#include <span>
#include <string_view>

#include "conversion/tree.hpp"
#include "conversion/version.hpp"

namespace dynamo::conversion {

// A field of v1alpha1 and the field of v1beta1 with the same meaning. With `members`, the value is
// an object whose members move by that table; others are dropped.
struct Move {
  std::string_view alpha;
  std::string_view beta = alpha;
  std::span<const Move> members = {};
};

// Copies the fields of the table from an object of the other version into `to`, an object of
// version `target`. An absent field stays absent; empty lists and maps become absent.
void apply_moves(Arena& arena, const Node* from, Node* to, std::span<const Move> moves,
                 Version target);

}  // namespace dynamo::conversion
