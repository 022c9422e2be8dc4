// The environment of a container, merged from base, mainContainer, graph and service like the
// operator does.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "render/component/component.hpp"
#include "render/document/arena.hpp"
#include "render/document/origin.hpp"
#include "render/pod/backend.hpp"
#include "render/pod/base.hpp"

namespace dynamo::render {

// One variable. A user's entry is read from `definition`. For the operator's own, `value` or
// `field_path` (downward API) is set, or neither if the value is unknown.
struct Variable {
  std::string_view name = {};
  json::Value definition = {};
  std::string_view value = {};
  std::string_view field_path = {};
  Origin origin = {};
  bool certain = true;  // false if it depends on the operator whether the variable exists

  // The literal value; "" if it comes from another source.
  std::string_view literal() const {
    return definition.exists() ? definition["value"].string_or_empty() : value;
  }
};

// The variables of the main container in the order in which the kubelet expands them: sorted by
// name, one entry per name. Sources in ascending precedence: the operator's addresses, base,
// mainContainer.env, the graph's envs, the service's envs. The engine's own variables are appended
// without a check for duplicates.
std::span<const Variable> main_variables(const Component& component, const Backend& backend,
                                         Arena& arena);

// The variables of the base container, overridden by those of `list`, which is at `origin`; sorted
// by name.
std::span<const Variable> variables_over(const Base& base, const Component& component,
                                         json::Value list, const Origin& origin, Arena& arena);

// The variables of a container that is used as written; `list` is its env.
std::span<const Variable> plain_variables(json::Value list, const Origin& origin, Arena& arena);

}  // namespace dynamo::render
