// The frontends that an endpoint picker chooses from.
#pragma once

#include "render/children/child.hpp"
#include "render/component.hpp"

namespace dynamo::render {

Child inference_pool_child(const Component& picker, const Owner& owner, Arena& arena);

}  // namespace dynamo::render
