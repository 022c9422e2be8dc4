// Rules for volumes, mounts and claims. Ids and one-line summaries stand in storage_rules.cpp.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "validators/rendering.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::storage {

using api::Context;

// storage_mounts.cpp
void duplicate_volume(const Context&, const RenderedPod&, Report&);
void mount_path(const Context&, const RenderedPod&, Report&);
void unknown_volume(const Context&, const RenderedPod&, Report&);

// storage_claims.cpp
void access_mode(const Context&, const RenderedObject&, Report&);
void claim_spec(const Context&, const RenderedObject&, Report&);
void ignored_fields(const Context&, const api::GraphDeployment& now,
                    const api::GraphDeployment* old, Report&);

// storage_memory.cpp
void cache_backend(const Context&, const RenderedPod&, Report&);
void shared_memory(const Context&, const RenderedPod&, Report&);

}  // namespace dynamo::validators::storage
