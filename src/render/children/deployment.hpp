// The Deployment of a component, and its twin for debugging.
#pragma once

#include "render/children/child.hpp"
#include "render/children/environment.hpp"
#include "render/component.hpp"

namespace dynamo::render {

// Of component.debug_twin the twin. Precondition: the pod of Role::kMain was found to be whole.
Child deployment_child(const Component& component, const Owner& owner,
                       const ChildEnvironment& environment, Arena& arena);

}  // namespace dynamo::render
