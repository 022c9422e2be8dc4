// Rules for references to other objects, for a server that knows the objects of its cluster. A
// dangling reference is always only a warning. The texts are in validators/texts/lookup.md.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "validators/rendering.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::lookup {

using api::Context;

// graphs.cpp
void graph_of_adapter(const Context&, const api::ScalingAdapter& now,
                      const api::ScalingAdapter* old, Report&);
void graph_of_request(const Context&, const api::GraphDeploymentRequest& now,
                      const api::GraphDeploymentRequest* old, Report&);

// claims.cpp
void claims(const Context&, const RenderedObject&, Report&);

// references.cpp
void secrets(const Context&, const RenderedObject&, Report&);
void config_maps(const Context&, const RenderedObject&, Report&);

}  // namespace dynamo::validators::lookup
