// The resources of group nvidia.com, as calls to the API server name them.
#pragma once

#include "api/kind.hpp"
#include "kube/resource.hpp"

namespace dynamo::reconciler {

kube::Resource resource_of(api::Kind kind);

}  // namespace dynamo::reconciler
