// Advice that suits only some users: off unless a policy enables it. The texts are in
// validators/texts/rendered_advice.md.
#pragma once

#include "api/context.hpp"
#include "validators/rendering.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::advice {

using api::Context;

// advice.cpp
void floating_tag(const Context&, const RenderedPod&, Report&);
void placeholder(const Context&, const RenderedPod&, Report&);
void implicit_shared_memory(const Context&, const RenderedPod&, Report&);
void dropped_labels(const Context&, const RenderedPod&, Report&);

// selectors.cpp
void component_selector(const Context&, const RenderedPod&, Report&);

// graph.cpp
void no_frontend(const Context&, const RenderedObject&, Report&);
void unused_claim(const Context&, const RenderedObject&, Report&);

}  // namespace dynamo::validators::advice
