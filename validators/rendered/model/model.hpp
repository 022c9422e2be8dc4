// Rules for models and the workers that serve them: models that are admitted but never loaded. The
// texts are in validators/texts/rendered_model.md.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "validators/rendering.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::models {

using api::Context;

// model.cpp
void source_location(const Context&, const api::Model& now, const api::Model* old, Report&);
void type_and_source(const Context&, const api::Model& now, const api::Model* old, Report&);
void stale_adapter(const Context&, const api::Model& now, const api::Model* old, Report&);

// workers.cpp
void reference(const Context&, const RenderedPod&, Report&);
void adapter_support(const Context&, const RenderedObject&, Report&);

}  // namespace dynamo::validators::models
