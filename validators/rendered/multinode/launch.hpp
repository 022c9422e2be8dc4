// How the engine of a multinode service is started.
#pragma once

#include "render/pod/launch.hpp"
#include "validators/rendering.hpp"

namespace dynamo::validators::multinode {

// Whether the component runs on several nodes. One of a DynamoComponentDeployment does not if the
// cluster has no LeaderWorkerSets.
inline bool runs_on_several_nodes(const RenderedPod& pod) {
  return pod.pod->role == render::PodRole::kLeader;
}

inline render::Injection injection_of(const RenderedPod& pod) {
  return render::injection_of(*pod.component, pod.pod->backend, pod.pod->main());
}

// Whether the command begins with a python interpreter, so that flags become separate arguments.
bool runs_python(const render::Container& main);

// Whether the operator can insert flags: after python's arguments, or inside a script that runs it.
bool takes_flags(const RenderedPod& pod);

// Whether the command line connects the nodes itself, or reads the rank of its node.
bool connects_nodes_itself(const render::Container& main);

// The field in which the user can change the command line; the main container if there is none.
render::Origin command_line(const render::Container& main);

}  // namespace dynamo::validators::multinode
