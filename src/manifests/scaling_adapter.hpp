// The DynamoGraphDeploymentScalingAdapter of a service of a graph.
#pragma once

#include "manifests/desired_object.hpp"
#include "render/component/component.hpp"

namespace dynamo::render {

// Unwanted if the service does not enable it.
DesiredObject build_scaling_adapter(const Component& component, const Owner& owner, Arena& arena);

}  // namespace dynamo::render
