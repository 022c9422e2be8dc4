// Data of an earlier v1alpha1 component that v1beta1 cannot express.
#pragma once

#include "conversion/tree.hpp"

namespace dynamo::conversion {

// Adds what `saved` has to a converted component, unless live data of `beta` contradicts it.
void restore_alpha_component(Arena& arena, const Node* beta, const Node& saved, Node* alpha);

// Drops an empty `mainContainer` and `extraPodSpec`, unless the saved component had them.
void prune_extra_pod_spec(Arena& arena, const Node* saved, Node* alpha);

}  // namespace dynamo::conversion
