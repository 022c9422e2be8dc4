// The way in from outside as an Ingress.
#pragma once

#include "render/children/child.hpp"
#include "render/component.hpp"

namespace dynamo::render {

// Unwanted where the component has none.
Child ingress_child(const Component& component, const Owner& owner, Arena& arena);

}  // namespace dynamo::render
