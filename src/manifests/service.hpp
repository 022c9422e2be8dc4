// The Services of a component's pods and of a model.
#pragma once

#include "manifests/desired_object.hpp"
#include "render/component/component.hpp"
#include "render/component/services.hpp"

namespace dynamo::render {

// The Service for an item of render_services(), which provides name, port and selector. With Grove,
// the endpoint picker's port declares HTTP/2.
DesiredObject build_service(const Component& component, const RenderedService& service,
                            const Owner& owner, Arena& arena);

}  // namespace dynamo::render
