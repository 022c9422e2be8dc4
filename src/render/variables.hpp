// The environment of a container: base, mainContainer, graph and service merged as the operator
// merges them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "render/arena.hpp"
#include "render/backend.hpp"
#include "render/component.hpp"
#include "render/origin.hpp"

namespace dynamo::render {

// One variable. A user's entry is read from `definition`; of the operator's own either `value` or
// `field_path` (downward API) is set, or neither where the value is not known here.
struct Variable {
  std::string_view name = {};
  json::Value definition = {};
  std::string_view value = {};
  std::string_view field_path = {};
  Origin origin = {};
  bool certain = true;  // false when it depends on the operator whether the variable is there

  // The literal value; "" for one that comes from elsewhere.
  std::string_view literal() const {
    return definition.exists() ? definition["value"].string_or_empty() : value;
  }
};

// Of the main container, in the order in which the kubelet expands them: sorted by name, of equal
// names the one that wins: the operator's addresses, then base, mainContainer.env, the graph's envs
// and the service's, each over the one before. Then the engine's own, which are appended without
// looking whether the name is taken.
std::span<const Variable> main_variables(const Component& component, const Backend& backend,
                                         Arena& arena);

// Of a container that is taken as it is written; `list` is its env.
std::span<const Variable> plain_variables(json::Value list, const Origin& origin, Arena& arena);

}  // namespace dynamo::render
