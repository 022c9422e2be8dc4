// The DynamoGraphDeploymentScalingAdapter of a service of a graph.
#pragma once

#include "render/component.hpp"
#include "render/desired/desired_object.hpp"

namespace dynamo::render {

// Unwanted if the service does not enable it.
DesiredObject scaling_adapter_child(const Component& component, const Owner& owner, Arena& arena);

}  // namespace dynamo::render
