// The API resources of group nvidia.com, for calls to the API server.
#pragma once

#include "api/kind.hpp"
#include "kube/object/resource.hpp"

namespace dynamo::reconciler {

kube::Resource resource_of(api::Kind kind);

}  // namespace dynamo::reconciler
