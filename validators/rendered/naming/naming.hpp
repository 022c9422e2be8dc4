// Rules for names from which the names of pods, Services and labels are derived. The texts are in
// validators/texts/naming.md.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "validators/rendering.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::naming {

using api::Context;

// services.cpp: the names and types of services
void name_collision(const Context&, const RenderedObject&, Report&);
void name_dns(const Context&, const RenderedPod&, Report&);
void component_type_unknown(const Context&, const RenderedPod&, Report&);
void component_type_missing(const Context&, const RenderedPod&, Report&);

// objects.cpp: the name of the object, and its length combined with the names of its services
void dot_or_digit(const Context&, const RenderedObject&, Report&);
void namespace_scope(const Context&, const api::Object& now, const api::Object* old, Report&);
void job_length(const Context&, const api::Object& now, const api::Object* old, Report&);
void label_length(const Context&, const RenderedObject&, Report&);
void grove_length(const Context&, const RenderedObject&, Report&);
void service_length(const Context&, const RenderedPod&, Report&);
void leader_worker_set_length(const Context&, const RenderedPod&, Report&);

}  // namespace dynamo::validators::naming
