// The Ingress for external access.
#pragma once

#include "manifests/desired_object.hpp"
#include "render/component/component.hpp"

namespace dynamo::render {

// Unwanted if the component has none.
DesiredObject build_ingress(const Component& component, const Owner& owner, Arena& arena);

}  // namespace dynamo::render
