// Data of an earlier v1beta1 pod template that v1alpha1 cannot express.
#pragma once

#include "conversion/tree.hpp"

namespace dynamo::conversion {

// The pod template of a v1alpha1 component, with what `hub`, the saved template of the v1beta1
// object, has in addition. Null if the component needs none.
Node* restore_pod_template(Arena& arena, const Node* alpha, const Node* hub);

// The parts of a v1beta1 pod template that v1alpha1 cannot express, or null: `alpha` is the result
// of the conversion, `frontend_sidecar` the saved name of that container ("" if it is not saved).
Node* save_pod_template(Arena& arena, const Node* beta_template, const Node* alpha,
                        std::string_view frontend_sidecar);

}  // namespace dynamo::conversion
