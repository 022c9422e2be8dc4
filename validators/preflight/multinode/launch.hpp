// How the engine of several nodes will be started.
#pragma once

#include "render/launch.hpp"
#include "validators/rendering.hpp"

namespace dynamo::validators::multinode {

// The component runs on several nodes; one of a DynamoComponentDeployment does not where there are
// no LeaderWorkerSets.
inline bool runs_on_several_nodes(const RenderedPod& pod) {
  return pod.pod->role == render::Role::kLeader;
}

inline render::Injection injection_of(const RenderedPod& pod) {
  return render::injection_of(*pod.component, pod.pod->backend, pod.pod->main());
}

// The command begins with a python interpreter, so that flags become arguments of their own.
bool runs_python(const render::Container& main);

// There is a place for flags: behind the arguments of python, or inside of a script that runs it.
bool takes_flags(const RenderedPod& pod);

// The command line brings the nodes together by itself, or reads where it stands among them.
bool joins_by_itself(const render::Container& main);

// Where the user can change the command line; the main container where there is none.
render::Origin command_line(const render::Container& main);

}  // namespace dynamo::validators::multinode
