// The pod template of a v1beta1 component, as a v1alpha1 component describes it.
#pragma once

#include "conversion/tree.hpp"

namespace dynamo::conversion {

// A pod template that is being built; `containers` may be changed until finish().
struct PodTemplate {
  Node* metadata = nullptr;
  Node* spec = nullptr;
  Node* containers = nullptr;
};

// Whether the fields of a v1alpha1 component need a pod template in v1beta1.
bool needs_pod_template(const Node* component);

// The containers that those fields describe, `main` first.
Node* build_containers(Arena& arena, const Node* component);
// The template that those fields describe, without data of an earlier v1beta1 object.
PodTemplate build_pod_template(Arena& arena, const Node* component);
// A template without containers.
PodTemplate empty_pod_template(Arena& arena);

// The template as one object.
Node* finish(Arena& arena, const PodTemplate& pod_template);

// The containers of a finished template.
Node* containers_of(const Node* pod_template);

}  // namespace dynamo::conversion
