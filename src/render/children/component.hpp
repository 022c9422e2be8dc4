// The DynamoComponentDeployment of a service of a graph.
#pragma once

#include <optional>

#include "render/children/child.hpp"
#include "render/children/environment.hpp"
#include "render/component.hpp"

namespace dynamo::render {

// Where the service cannot be passed on; `path` is spec.services[NAME].
std::optional<Refusal> refusal_of(const Component& component, const api::FieldPath& path);

// The service as it is written, with what the graph says for all of them. Precondition: it is not
// refused.
Child component_child(const Component& component, const Owner& owner,
                      const ChildEnvironment& environment, Arena& arena);

}  // namespace dynamo::render
