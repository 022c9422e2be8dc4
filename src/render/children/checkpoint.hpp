// The DynamoCheckpoint that a service asks for and nobody has made yet.
#pragma once

#include <string_view>

#include "render/children/child.hpp"
#include "render/children/environment.hpp"
#include "render/component.hpp"

namespace dynamo::render {

// Whether the service of a graph asks for one: mode Auto, an identity, no reference.
bool asks_for_checkpoint(const Component& component);

// `component` as its job runs it: one node, and else as it serves.
Component checkpoint_component(const Component& component);

// Owned by nobody: it serves whoever has the same identity. `hash` is that of the identity; `job`
// is checkpoint_component().
Child checkpoint_child(const Component& component, const Component& job, std::string_view hash,
                       const ChildEnvironment& environment, Arena& arena);

}  // namespace dynamo::render
