// Rules for names of other objects, with a server that knows which objects its cluster has: a name
// that leads nowhere is a warning, never more. Ids and one-line summaries stand in
// lookup_rules.cpp.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "validators/rendering.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::lookup {

using api::Context;

// lookup_graphs.cpp
void graph_of_adapter(const Context&, const api::ScalingAdapter& now,
                      const api::ScalingAdapter* old, Report&);
void graph_of_request(const Context&, const api::GraphDeploymentRequest& now,
                      const api::GraphDeploymentRequest* old, Report&);

// lookup_claims.cpp
void claims(const Context&, const RenderedObject&, Report&);

// lookup_references.cpp
void secrets(const Context&, const RenderedObject&, Report&);
void config_maps(const Context&, const RenderedObject&, Report&);

}  // namespace dynamo::validators::lookup
