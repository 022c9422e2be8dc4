// The Ingress for external access.
#pragma once

#include "render/component.hpp"
#include "render/desired/desired_object.hpp"

namespace dynamo::render {

// Unwanted if the component has none.
DesiredObject ingress_child(const Component& component, const Owner& owner, Arena& arena);

}  // namespace dynamo::render
