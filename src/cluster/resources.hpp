// What more than one program asks for of Dynamo; src/kube has the resources of Kubernetes.
#pragma once

#include "kube/resource.hpp"

namespace dynamo::cluster {

inline constexpr kube::Resource kGraphDeployments{
    "nvidia.com", "v1alpha1", "dynamographdeployments", "DynamoGraphDeployment"};

}  // namespace dynamo::cluster
