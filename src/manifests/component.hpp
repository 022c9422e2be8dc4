// The DynamoComponentDeployment of a service of a graph.
#pragma once

#include <optional>

#include "manifests/desired_object.hpp"
#include "manifests/environment.hpp"
#include "render/component/component.hpp"

namespace dynamo::render {

// Why no component can be created from the service; `path` is spec.services[NAME].
std::optional<Refusal> refusal_of(const Component& component, const api::FieldPath& path);

// The service as written, with the graph's settings for all services. Precondition: refusal_of()
// returned nullopt.
DesiredObject build_component(const Component& component, const Owner& owner,
                              const RenderEnvironment& environment, Arena& arena);

}  // namespace dynamo::render
