// Dynamo resources that several programs request; src/kube has the Kubernetes resources.
#pragma once

#include "kube/object/resource.hpp"

namespace dynamo::cluster {

inline constexpr kube::Resource kGraphDeployments{
    "nvidia.com", "v1alpha1", "dynamographdeployments", "DynamoGraphDeployment"};

// Of Grove: the levels of a cluster's topology.
inline constexpr kube::Resource kTopologyBindings{"grove.io", "v1alpha1", "clustertopologybindings",
                                                  "ClusterTopologyBinding", false};

}  // namespace dynamo::cluster
