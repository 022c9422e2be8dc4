// The status of a component's replicas: v1alpha1 names one workload, v1beta1 all of them.
#pragma once

#include "conversion/tree.hpp"

namespace dynamo::conversion {

// `alpha` as the status of v1beta1.
Node* convert_replica_status_to_beta(Arena& arena, const Node* alpha);
// The names that v1beta1 cannot express, or null.
Node* save_replica_status(Arena& arena, const Node* alpha);
// `beta` as the status of v1alpha1. `saved`: the names of an earlier v1alpha1 status, or null.
Node* convert_replica_status_to_alpha(Arena& arena, const Node* beta, const Node* saved);

}  // namespace dynamo::conversion
