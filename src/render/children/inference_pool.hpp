// The InferencePool: the frontends from which an endpoint picker chooses.
#pragma once

#include "render/children/child.hpp"
#include "render/component.hpp"

namespace dynamo::render {

Child inference_pool_child(const Component& picker, const Owner& owner, Arena& arena);

}  // namespace dynamo::render
