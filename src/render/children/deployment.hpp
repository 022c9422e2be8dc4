// The Deployment of a component, and its twin for debugging.
#pragma once

#include "render/children/child.hpp"
#include "render/children/environment.hpp"
#include "render/component.hpp"

namespace dynamo::render {

// If component.debug_twin is set, the twin. Precondition: refusal_of() returned nullopt for the pod
// of Role::kMain.
Child deployment_child(const Component& component, const Owner& owner,
                       const ChildEnvironment& environment, Arena& arena);

}  // namespace dynamo::render
