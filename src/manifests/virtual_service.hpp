// The Istio VirtualService for external access.
#pragma once

#include "manifests/desired_object.hpp"
#include "render/component/component.hpp"

namespace dynamo::render {

// Unwanted if the component has none. Call it only for an operator with a configured gateway.
DesiredObject build_virtual_service(const Component& component, const Owner& owner, Arena& arena);

}  // namespace dynamo::render
