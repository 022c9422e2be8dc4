// The permissions of pods that discover each other through the API server.
#pragma once

#include <string_view>

#include "manifests/desired_object.hpp"

namespace dynamo::render {

DesiredObject build_discovery_role(std::string_view graph, std::string_view namespace_name,
                                   const Owner& owner);

}  // namespace dynamo::render
