// Rules for CPU, memory, GPUs and devices of containers. The texts are in
// validators/texts/resources.md.
#pragma once

#include "api/context.hpp"
#include "validators/rendering.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::resources {

using api::Context;

// amounts.cpp; also of a profiling job
void quantity_invalid(const Context&, const RenderedObject&, Report&);
void request_exceeds_limit(const Context&, const RenderedObject&, Report&);

// implausible.cpp; also of a profiling job
void quantity_implausible(const Context&, const RenderedObject&, Report&);

// extended.cpp; also of a profiling job
void extended_rules(const Context&, const RenderedObject&, Report&);

// claims.cpp
void claims_unknown(const Context&, const RenderedPod&, Report&);

// gpu.cpp
void gpu_requests_only(const Context&, const RenderedPod&, Report&);
void gpu_missing(const Context&, const RenderedPod&, Report&);
void parallelism_exceeds_gpus(const Context&, const RenderedPod&, Report&);

}  // namespace dynamo::validators::resources
