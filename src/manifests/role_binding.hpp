// Grants an account the permissions of a Role or ClusterRole.
#pragma once

#include <optional>
#include <string_view>

#include "manifests/desired_object.hpp"

namespace dynamo::render {

struct Binding {
  std::string_view name = {};
  std::string_view account = {};    // in the same namespace
  std::string_view role_kind = {};  // "Role" or "ClusterRole"
  std::string_view role = {};
};

// Without an owner only its subjects are kept up to date; a binding to another role is deleted and
// recreated.
DesiredObject build_role_binding(const Binding& binding, std::string_view namespace_name,
                                 const std::optional<Owner>& owner);

}  // namespace dynamo::render
