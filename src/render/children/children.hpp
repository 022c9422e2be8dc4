// All objects that the controllers create from one object.
#pragma once

#include <string_view>

#include "api/kinds/objects.hpp"
#include "render/children/child.hpp"
#include "render/children/environment.hpp"

namespace dynamo::render {

// The results depend only on the arguments, which are not kept. The functions do not validate: the
// caller must check the object against the rules. Thread-safe; they allocate.

// Deployments, or PodGroups and LeaderWorkerSets, then Services, then Ingress and VirtualService.
Children children_of(const api::ComponentDeployment& component, std::string_view namespace_name,
                     const ChildEnvironment& environment);

// Accounts, claims, requested checkpoints, scaling adapters, the objects for discovery and endpoint
// picker, and one DynamoComponentDeployment per service, by name. A graph that Grove would run is
// refused.
Children children_of(const api::GraphDeployment& graph, std::string_view namespace_name,
                     const ChildEnvironment& environment);

// The job that creates the checkpoint.
Children children_of(const api::Checkpoint& checkpoint, std::string_view namespace_name,
                     const ChildEnvironment& environment);

// The profiling job and its account. The results of an earlier job must be deleted.
Children children_of(const api::GraphDeploymentRequest& request, std::string_view namespace_name,
                     const ChildEnvironment& environment);

}  // namespace dynamo::render
