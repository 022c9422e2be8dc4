// Dynamo resources that several programs request; src/kube has the Kubernetes resources.
#pragma once

#include "kube/object/resource.hpp"

namespace dynamo::cluster {

inline constexpr kube::Resource kGraphDeployments{
    "nvidia.com", "v1alpha1", "dynamographdeployments", "DynamoGraphDeployment"};

}  // namespace dynamo::cluster
