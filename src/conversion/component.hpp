// Components: services of a v1alpha1 graph, components of a v1beta1 graph, and the spec of a
// DynamoComponentDeployment. The functions read and write nodes of either type.
#pragma once

#include "conversion/tree.hpp"

namespace dynamo::conversion {

// Copies a v1alpha1 component into `beta`, except its name. `hub`: the component of the same name
// that the payload of an earlier v1beta1 object has, or null.
void convert_component_to_beta(Arena& arena, const Node* alpha, const Node* hub, Node* beta);

// Adds to `save` what v1beta1 cannot express of a v1alpha1 component. `should_save_splits`: also
// save how `mainContainer` and the fields of the component share the main container.
void save_alpha_component(Arena& arena, const Node* alpha, bool should_save_splits, Node* save);

// Copies a v1beta1 component into `alpha`, except its name. `saved`: the component of the same name
// that the payload of an earlier v1alpha1 object has, or null.
void convert_component_to_alpha(Arena& arena, const Node* beta, const Node* saved, Node* alpha);

// Adds to `save` what v1alpha1 cannot express of a v1beta1 component. `alpha` is the result of the
// conversion.
void save_beta_component(Arena& arena, const Node* beta, const Node* alpha, Node* save);

// Whether `experimental` has none of the parts that v1alpha1 has fields for.
bool is_hub_only_experimental(const Node* experimental);

}  // namespace dynamo::conversion
