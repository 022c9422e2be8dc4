// Rules for the pods that will be made of an object: what Kubernetes refuses in a pod template, and
// what it takes and then does not run. Ids and one-line summaries stand in pod_rules.cpp.
#pragma once

#include "api/context.hpp"
#include "validators/rendering.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::pod {

using api::Context;

// What cannot be rendered, so that no other rule of a rendered object is asked.
void too_much(const Context&, const RenderedObject&, Report&);

// Command lines: pod_command.cpp, pod_expansion.cpp
void default_shell(const Context&, const RenderedPod&, Report&);
void shell_arguments(const Context&, const RenderedPod&, Report&);
void frontend_merge(const Context&, const RenderedPod&, Report&);
void unexpanded_variable(const Context&, const RenderedPod&, Report&);
void undefined_reference(const Context&, const RenderedPod&, Report&);

// What a container is made of
void image(const Context&, const RenderedPod&, Report&);
void image_placeholder(const Context&, const RenderedPod&, Report&);
void container_names(const Context&, const RenderedPod&, Report&);
void variables(const Context&, const RenderedPod&, Report&);
void ports(const Context&, const RenderedPod&, Report&);
void merged_probe(const Context&, const RenderedPod&, Report&);
void probes(const Context&, const RenderedPod&, Report&);
void lifecycle(const Context&, const RenderedPod&, Report&);
void security(const Context&, const RenderedPod&, Report&);

// What a pod is made of
void volumes(const Context&, const RenderedPod&, Report&);
void labels(const Context&, const RenderedPod&, Report&);
void forbidden_in_template(const Context&, const RenderedPod&, Report&);
void dns(const Context&, const RenderedPod&, Report&);
void references(const Context&, const RenderedPod&, Report&);

// Where it runs; also the tolerations of a profiling job
void scheduling(const Context&, const RenderedObject&, Report&);
void scheduler_mixed(const Context&, const RenderedObject&, Report&);

// Words of closed vocabularies, wherever they stand; also of a profiling job's tolerations
void vocabulary(const Context&, const RenderedObject&, Report&);

// The job of a checkpoint
void checkpoint_template(const Context&, const RenderedPod&, Report&);

}  // namespace dynamo::validators::pod
