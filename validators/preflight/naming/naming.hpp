// Rules for names from which the names of pods, Services and labels are made. Ids and one-line
// summaries stand in naming_rules.cpp.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "validators/rendering.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::naming {

using api::Context;

// The names of services and what they say they are: naming_services.cpp
void name_collision(const Context&, const RenderedObject&, Report&);
void name_dns(const Context&, const RenderedPod&, Report&);
void component_type_unknown(const Context&, const RenderedPod&, Report&);
void component_type_missing(const Context&, const RenderedPod&, Report&);

// The name of the object, and its length together with those of its services: naming_objects.cpp
void dot_or_digit(const Context&, const RenderedObject&, Report&);
void namespace_scope(const Context&, const api::Object& now, const api::Object* old, Report&);
void job_length(const Context&, const api::Object& now, const api::Object* old, Report&);
void label_length(const Context&, const RenderedObject&, Report&);
void grove_length(const Context&, const RenderedObject&, Report&);
void service_length(const Context&, const RenderedPod&, Report&);
void leader_worker_set_length(const Context&, const RenderedPod&, Report&);

}  // namespace dynamo::validators::naming
