// The DynamoGraphDeploymentScalingAdapter of a service of a graph.
#pragma once

#include "render/children/child.hpp"
#include "render/component.hpp"

namespace dynamo::render {

// Unwanted if the service does not enable it.
Child scaling_adapter_child(const Component& component, const Owner& owner, Arena& arena);

}  // namespace dynamo::render
