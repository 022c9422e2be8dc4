// The Ingress for external access.
#pragma once

#include "render/children/child.hpp"
#include "render/component.hpp"

namespace dynamo::render {

// Unwanted if the component has none.
Child ingress_child(const Component& component, const Owner& owner, Arena& arena);

}  // namespace dynamo::render
