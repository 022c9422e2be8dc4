// Rules for services of several nodes: whether what the operator does to their command lines lets
// the nodes find each other. Ids and one-line summaries stand in multinode_rules.cpp.
#pragma once

#include "api/context.hpp"
#include "validators/rendering.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::multinode {

using api::Context;

// multinode_sizes.cpp
void vllm_flag_form(const Context&, const RenderedPod&, Report&);
void gpu_location(const Context&, const RenderedPod&, Report&);
void no_injection(const Context&, const RenderedPod&, Report&);

// Whether anything runs several nodes at all: multinode_orchestrator.cpp
void orchestrator_missing(const Context&, const RenderedObject&, Report&);

// multinode_command.cpp
void unquoted_arguments(const Context&, const RenderedPod&, Report&);
void leader_worker_set_container(const Context&, const RenderedPod&, Report&);

}  // namespace dynamo::validators::multinode
