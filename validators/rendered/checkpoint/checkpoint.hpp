// Rules for checkpoints and the services that start from them: states saved under a wrong identity
// and states that are never found. The texts are in validators/texts/rendered_checkpoint.md.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "validators/rendering.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::checkpoints {

using api::Context;

// identity.cpp
void identity_mismatch(const Context&, const RenderedPod&, Report&);

// checkpoint.cpp
void hash_label(const Context&, const api::Checkpoint& now, const api::Checkpoint* old, Report&);
void hash_missing(const Context&, const RenderedObject&, Report&);
void controller_missing(const Context&, const api::Checkpoint& now, const api::Checkpoint* old,
                        Report&);
void unsupported(const Context&, const RenderedPod&, Report&);

}  // namespace dynamo::validators::checkpoints
