// The permissions of pods that discover each other through the API server.
#pragma once

#include <string_view>

#include "render/children/child.hpp"

namespace dynamo::render {

Child discovery_role_child(std::string_view graph, std::string_view namespace_name,
                           const Owner& owner);

}  // namespace dynamo::render
