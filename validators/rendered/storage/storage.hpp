// Rules for volumes, mounts and claims. The texts are in validators/texts/storage.md.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "validators/rendering.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::storage {

using api::Context;

// mounts.cpp
void duplicate_volume(const Context&, const RenderedPod&, Report&);
void mount_path(const Context&, const RenderedPod&, Report&);
void unknown_volume(const Context&, const RenderedPod&, Report&);

// claims.cpp
void access_mode(const Context&, const RenderedObject&, Report&);
void claim_spec(const Context&, const RenderedObject&, Report&);
void ignored_fields(const Context&, const api::GraphDeployment& now,
                    const api::GraphDeployment* old, Report&);

// memory.cpp
void cache_backend(const Context&, const RenderedPod&, Report&);
void shared_memory(const Context&, const RenderedPod&, Report&);

}  // namespace dynamo::validators::storage
