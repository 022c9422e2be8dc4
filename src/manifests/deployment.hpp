// The Deployment of a component, and its twin for debugging.
#pragma once

#include "manifests/desired_object.hpp"
#include "manifests/environment.hpp"
#include "render/component/component.hpp"

namespace dynamo::render {

// If component.debug_twin is set, the twin. Precondition: refusal_of() returned nullopt for the pod
// of Role::kMain.
DesiredObject build_deployment(const Component& component, const Owner& owner,
                               const RenderEnvironment& environment, Arena& arena);

}  // namespace dynamo::render
