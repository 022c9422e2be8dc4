// The way in from outside as an Istio VirtualService.
#pragma once

#include "render/children/child.hpp"
#include "render/component.hpp"

namespace dynamo::render {

// Unwanted where the component has none. Only to be asked of an operator that has a gateway itself.
Child virtual_service_child(const Component& component, const Owner& owner, Arena& arena);

}  // namespace dynamo::render
