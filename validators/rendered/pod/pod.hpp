// Rules for rendered pods: what Kubernetes refuses in a pod template, and what it accepts but does
// not run. The texts are in validators/texts/pod_*.md.
#pragma once

#include "api/context.hpp"
#include "validators/rendering.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::pod {

using api::Context;

// Objects that are too large to render, for which no other rule on rendered objects runs.
void too_much(const Context&, const RenderedObject&, Report&);

// command.cpp, expansion.cpp: command lines
void default_shell(const Context&, const RenderedPod&, Report&);
void shell_arguments(const Context&, const RenderedPod&, Report&);
void frontend_merge(const Context&, const RenderedPod&, Report&);
void unexpanded_variable(const Context&, const RenderedPod&, Report&);
void undefined_reference(const Context&, const RenderedPod&, Report&);

// Fields of a container
void image(const Context&, const RenderedPod&, Report&);
void image_placeholder(const Context&, const RenderedPod&, Report&);
void container_names(const Context&, const RenderedPod&, Report&);
void variables(const Context&, const RenderedPod&, Report&);
void ports(const Context&, const RenderedPod&, Report&);
void merged_probe(const Context&, const RenderedPod&, Report&);
void probes(const Context&, const RenderedPod&, Report&);
void lifecycle(const Context&, const RenderedPod&, Report&);
void security(const Context&, const RenderedPod&, Report&);

// Fields of a pod
void volumes(const Context&, const RenderedPod&, Report&);
void labels(const Context&, const RenderedPod&, Report&);
void forbidden_in_template(const Context&, const RenderedPod&, Report&);
void dns(const Context&, const RenderedPod&, Report&);
void references(const Context&, const RenderedPod&, Report&);

// Placement; also the tolerations of a profiling job
void scheduling(const Context&, const RenderedObject&, Report&);
void scheduler_mixed(const Context&, const RenderedObject&, Report&);

// Words of closed vocabularies in any field; also the tolerations of a profiling job
void vocabulary(const Context&, const RenderedObject&, Report&);

// The job of a checkpoint
void checkpoint_template(const Context&, const RenderedPod&, Report&);

}  // namespace dynamo::validators::pod
