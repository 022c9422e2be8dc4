// Edits of pods for experimental features of v1beta1, after everything else is rendered.
#pragma once

#include "render/component/component.hpp"
#include "render/document/arena.hpp"
#include "render/pod/pod.hpp"

namespace dynamo::render {

// Adds the policy for the transfer of caches, the GPU memory service, and the engines of a
// failover, if the component asks for them in v1beta1.
void add_features(const Component& component, Arena& arena, Pod& pod);

// The pod of the clique that holds the GPUs of a node for the engines in other pods. Precondition:
// the component shares them between pods, and its fixed_rank is set.
Pod render_memory_service_pod(const Component& component, Arena& arena);

}  // namespace dynamo::render
