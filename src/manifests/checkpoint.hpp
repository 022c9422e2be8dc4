// The DynamoCheckpoint that a service requests and that does not exist yet.
#pragma once

#include <string_view>

#include "manifests/desired_object.hpp"
#include "manifests/environment.hpp"
#include "render/component/component.hpp"

namespace dynamo::render {

// Whether the service of a graph requests one: mode Auto, an identity, no reference.
bool requests_checkpoint(const Component& component);

// `component` as its checkpoint job runs it: on one node, otherwise unchanged.
Component checkpoint_component(const Component& component);

// Has no owner, because every service with the same identity uses it. `hash` is that of the
// identity; `job` is the result of checkpoint_component().
DesiredObject build_checkpoint(const Component& component, const Component& job,
                               std::string_view hash, const RenderEnvironment& environment,
                               Arena& arena);

}  // namespace dynamo::render
