// Rules for the number of pods and their replacement: rolling updates, restarts, replicas, scaling
// adapters. The texts are in validators/texts/scaling.md.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "validators/rendering.hpp"
#include "validators/report.hpp"
#include "validators/rules/service.hpp"

namespace dynamo::validators::scaling {

using api::Context;

// rollout.cpp
void rolling_annotations(const Context&, const RenderedObject&, Report&);
void restart_request(const Context&, const api::GraphDeployment& now,
                     const api::GraphDeployment* old, Report&);

// replicas.cpp
void zero_replicas(const Context&, const RenderedObject&, Report&);
void adapter_replicas(const Context&, const ServiceView& now, const ServiceView* old, Report&);
void adapter_target(const Context&, const RenderedObject&, Report&);

}  // namespace dynamo::validators::scaling
