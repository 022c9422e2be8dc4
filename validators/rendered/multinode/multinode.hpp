// Rules for multinode services: whether the nodes still find each other after the operator has
// changed their command lines. The texts are in validators/texts/multinode.md.
#pragma once

#include "api/context.hpp"
#include "validators/rendering.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::multinode {

using api::Context;

// sizes.cpp
void vllm_flag_form(const Context&, const RenderedPod&, Report&);
void gpu_location(const Context&, const RenderedPod&, Report&);
void no_injection(const Context&, const RenderedPod&, Report&);

// orchestrator.cpp: whether the cluster can run several nodes at all
void orchestrator_missing(const Context&, const RenderedObject&, Report&);

// command.cpp
void unquoted_arguments(const Context&, const RenderedPod&, Report&);
void leader_worker_set_container(const Context&, const RenderedPod&, Report&);

}  // namespace dynamo::validators::multinode
