// The InferencePool: the frontends from which an endpoint picker chooses.
#pragma once

#include "manifests/desired_object.hpp"
#include "render/component/component.hpp"

namespace dynamo::render {

DesiredObject build_inference_pool(const Component& picker, const Owner& owner, Arena& arena);

}  // namespace dynamo::render
