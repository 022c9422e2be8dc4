// The InferencePool: the frontends from which an endpoint picker chooses.
#pragma once

#include "render/component.hpp"
#include "render/desired/desired_object.hpp"

namespace dynamo::render {

DesiredObject build_inference_pool(const Component& picker, const Owner& owner, Arena& arena);

}  // namespace dynamo::render
