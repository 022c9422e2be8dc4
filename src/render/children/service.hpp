// The Services in front of a component's pods and of a model.
#pragma once

#include "render/children/child.hpp"
#include "render/component.hpp"
#include "render/services.hpp"

namespace dynamo::render {

// One of render_services(), which knows its name, ports and selector. On the way through Grove the
// endpoint picker's port says that it speaks HTTP/2.
Child service_child(const Component& component, const RenderedService& service, const Owner& owner,
                    Arena& arena);

}  // namespace dynamo::render
