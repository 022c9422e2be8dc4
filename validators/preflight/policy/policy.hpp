// Rules that have nothing to say until a policy gives them a parameter. Ids and one-line summaries
// stand in policy_rules.cpp.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "validators/rendering.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::policy {

using api::Context;

// policy_images.cpp
void allowed_registry(const Context&, const RenderedObject&, Report&);

// policy_limits.cpp
void lora_scheme(const Context&, const api::Model& now, const api::Model* old, Report&);
void most_replicas(const Context&, const api::Object& now, const api::Object* old, Report&);
void resource_limits(const Context&, const RenderedPod&, Report&);

}  // namespace dynamo::validators::policy
