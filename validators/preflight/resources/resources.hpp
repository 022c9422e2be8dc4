// Rules for CPU, memory, GPUs and devices of containers. Ids and one-line summaries stand in
// resources_rules.cpp.
#pragma once

#include "api/context.hpp"
#include "validators/rendering.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::resources {

using api::Context;

// resources_amounts.cpp; also of a profiling job
void quantity_invalid(const Context&, const RenderedObject&, Report&);
void request_exceeds_limit(const Context&, const RenderedObject&, Report&);

// implausible.cpp; also of a profiling job
void quantity_implausible(const Context&, const RenderedObject&, Report&);

// resources_extended.cpp; also of a profiling job
void extended_rules(const Context&, const RenderedObject&, Report&);

// resources_claims.cpp
void claims_unknown(const Context&, const RenderedPod&, Report&);

// resources_gpu.cpp
void gpu_requests_only(const Context&, const RenderedPod&, Report&);
void gpu_missing(const Context&, const RenderedPod&, Report&);
void parallelism_exceeds_gpus(const Context&, const RenderedPod&, Report&);

}  // namespace dynamo::validators::resources
