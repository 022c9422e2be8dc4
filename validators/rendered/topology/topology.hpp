// Rules for how the services of a graph fit together: engines, roles, planner, endpoint picker,
// annotations. The texts are in validators/texts/topology.md, topology_components.md and
// endpoint_picker.md.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "validators/rendering.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::topology {

using api::Context;

// roles.cpp
void backend_mismatch(const Context&, const RenderedPod&, Report&);
void role_flag(const Context&, const RenderedPod&, Report&);
void block_size(const Context&, const RenderedObject&, Report&);

// planner.cpp
void planner_targets(const Context&, const RenderedObject&, Report&);

// endpoint_picker.cpp
void endpoint_picker_topology(const Context&, const RenderedObject&, Report&);

// annotations.cpp
void annotation_value(const Context&, const RenderedObject&, Report&);
void pathway_toggle(const Context&, const api::GraphDeployment& now,
                    const api::GraphDeployment* old, Report&);

// component.cpp
void standalone_incomplete(const Context&, const api::ComponentDeployment& now,
                           const api::ComponentDeployment* old, Report&);
void owned_edit(const Context&, const api::ComponentDeployment& now,
                const api::ComponentDeployment* old, Report&);

}  // namespace dynamo::validators::topology
